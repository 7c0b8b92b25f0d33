import { expect, test } from "vitest";

import type { MissionTask } from "@/api/types";
import { heldBehind } from "./held";

const task = (id: string, depends_on: string[], state = "waiting") => ({ id, depends_on, state }) as MissionTask;

test("what waits behind a task is found through others, once each, the nearest first, without what has ended", () => {
  const tasks = [task("a", []), task("b", ["a"]), task("c", ["a"]), task("d", ["b", "c"]), task("e", ["d"]), task("f", ["a"], "skipped"), task("g", [])];
  expect(heldBehind(tasks, "a").map((each) => each.id)).toEqual(["b", "c", "d", "e"]);
  expect(heldBehind(tasks, "e")).toEqual([]);
});
