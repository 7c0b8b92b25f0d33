import { expect, test } from "vitest";

import type { MissionTask } from "@/api/types";
import { layOutBlockedTasks, tasksBlockedBy } from "./blocked-tasks";

const task = (id: string, depends_on: string[], state = "waiting") =>
  ({ id, depends_on, state, critical: false }) as MissionTask;

test("blocked tasks are found through others, once each, the nearest first, without finished ones", () => {
  const tasks = [
    task("a", []),
    task("b", ["a"]),
    task("c", ["a"]),
    task("d", ["b", "c"]),
    task("e", ["d"]),
    task("f", ["a"], "skipped"),
    task("g", []),
  ];
  expect(tasksBlockedBy(tasks, "a").map((each) => each.id)).toEqual(["b", "c", "d", "e"]);
  expect(tasksBlockedBy(tasks, "e")).toEqual([]);
});

test("they are laid out in columns by distance, the critical path first, and the rest is counted", () => {
  const drawn = layOutBlockedTasks(
    [
      task("own", []),
      ...["a", "b", "c", "d"].map((id) => task(id, ["own"])),
      { ...task("way", ["own"]), critical: true },
      task("end", ["way", "own"]),
      task("after", ["end"]),
    ],
    task("own", []),
  );

  expect(drawn.nodes.map(({ task: { id }, column, row }) => [id, column, row])).toEqual([
    ["own", 0, 0],
    ["way", 1, -1],
    ["a", 1, 0],
    ["b", 1, 1],
    ["end", 2, 0],
  ]);
  expect(drawn.edges.map(([from, to]) => `${from.task.id} ${to.task.id}`)).toEqual([
    "own way",
    "own a",
    "own b",
    "own end",
    "way end",
  ]);
  expect([drawn.columns, drawn.rows, drawn.more]).toEqual([3, 3, 3]);
});
