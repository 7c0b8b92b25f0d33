import { expect, test } from "vitest";

import type { MissionTask } from "@/api/types";
import { criticalPath, estimatedEnd, secondsLeft, secondsLeftRange } from "@/features/shell/missions/time-estimates";
import { folded, unfolded } from "./fold-finished";
import { type Density, layout, SIZES } from "./layout";

function task(id: string, phase: number, needs: string[], state = "waiting", minutes = 0): MissionTask {
  const started = state === "waiting" || state === "ready" ? null : "2026-01-15T10:00:00Z";
  const ended =
    state === "unproved" ? new Date(Date.parse("2026-01-15T10:00:00Z") + minutes * 60_000).toISOString() : null;
  return {
    id,
    name: id,
    phase,
    state,
    agent_id: null,
    agent: null,
    depends_on: needs,
    waiting_for: 0,
    attempts: 0,
    failed_attempts: 0,
    lease_until: null,
    started_at: started,
    attempt_started_at: started,
    completed_at: ended,
    remaining_seconds: null,
    files: null,
    group: null,
    critical: false,
    proof_state: null,
    checks: null,
    flags: 0,
  };
}

/** Return phases of tasks that each depend on two of the phase before. */
function many(phases: number, each: number): MissionTask[] {
  const found: MissionTask[] = [];
  for (let phase = 1; phase <= phases; phase += 1)
    for (let at = 0; at < each; at += 1) {
      const needs = phase === 1 ? [] : [`${phase - 1}.${at}`, `${phase - 1}.${(at * 7 + 3) % each}`];
      found.push(
        task(
          `${phase}.${at}`,
          phase,
          [...new Set(needs)],
          phase < 3 ? "unproved" : phase === 3 ? "working" : "waiting",
          20,
        ),
      );
    }
  return found;
}

for (const [density, tasks] of [
  ["full", many(4, 6)],
  ["line", many(6, 18)],
  ["glyph", many(10, 50)],
] as [Density, MissionTask[]][]) {
  test(`${tasks.length} tasks as ${density}: each right of its dependencies, no overlap, phases in bands`, () => {
    const made = layout(unfolded(tasks), density);
    const places = new Map(made.nodes.map((node) => [node.id, node]));
    const size = SIZES[density];

    for (const each of tasks)
      for (const need of each.depends_on) expect(places.get(each.id)!.x).toBeGreaterThan(places.get(need)!.x);
    const columns = Map.groupBy(made.nodes, (node) => node.x);
    for (const column of columns.values()) {
      const rows = column.map((node) => node.y).sort((one, other) => one - other);
      for (let at = 1; at < rows.length; at += 1) expect(rows[at]! - rows[at - 1]!).toBeGreaterThanOrEqual(size.height);
    }
    for (const each of tasks) {
      const band = made.bands.find((found) => found.phase === each.phase)!;
      expect(places.get(each.id)!.x).toBeGreaterThanOrEqual(band.x);
      expect(places.get(each.id)!.x + size.width).toBeLessThanOrEqual(band.x + band.width + 1);
    }
  });
}

for (const density of ["full", "line", "glyph"] as Density[])
  test(`500 tasks are laid out as ${density} within 200 ms`, () => {
    const boxes = unfolded(many(10, 50));
    const start = performance.now();
    layout(boxes, density);

    expect(performance.now() - start).toBeLessThan(200);
  });

test("tasks without dependencies fill several columns instead of one tall one", () => {
  const made = layout(unfolded(Array.from({ length: 35 }, (_, at) => task(`t${at}`, 1, []))), "full");

  expect([...Map.groupBy(made.nodes, (node) => node.x).values()].map((column) => column.length)).toEqual([
    10, 10, 10, 5,
  ]);
});

test("no edge runs through a node", () => {
  const tasks = many(5, 5);
  const made = layout(unfolded([...tasks, task("long", 5, ["1.0"])]), "full");
  const size = SIZES.full;
  for (const edge of made.edges)
    for (let at = 1; at < edge.points.length; at += 1) {
      const [[fromX, fromY], [toX, toY]] = [edge.points[at - 1]!, edge.points[at]!];
      if (fromY !== toY) continue; // bends are between the columns
      for (const node of made.nodes) {
        const crosses =
          fromX < node.x + size.width - 1 && toX > node.x + 1 && fromY > node.y && fromY < node.y + size.height;
        expect(crosses).toBe(false);
      }
    }
});

test("a change of states moves no node", () => {
  const before = many(4, 5);
  const after = before.map((each) => ({ ...each, state: "failed" }));

  expect(layout(unfolded(after), "full")).toEqual(layout(unfolded(before), "full"));
});

test("finished tasks fold by phase, and so do tasks far from any work", () => {
  const chain = ["c", "d", "e", "f", "g"].map((id, at, all) => task(id, 3 + at, at === 0 ? ["b"] : [all[at - 1]!]));
  const tasks = [
    task("a1", 1, [], "unproved"),
    task("a2", 1, [], "unproved"),
    task("b", 2, ["a1", "a2"], "working"),
    ...chain,
  ];
  const boxes = folded(tasks, new Set());

  expect(boxes.map((box) => [box.id, box.tasks.length])).toContainEqual(["done:1", 2]);
  expect(boxes.find((box) => box.id === "b")!.needs).toEqual(["done:1"]);
  expect(boxes.find((box) => box.tasks.some((each) => each.id === "c"))!.folded).toBeNull();
  expect(folded(tasks, new Set(["done:1"])).map((box) => box.id)).toEqual(expect.arrayContaining(["a1", "a2"]));
});

test("what is left of each task is what the server says, and nothing for tasks that have ended", () => {
  const left = (each: MissionTask, seconds: number | null) => ({ ...each, remaining_seconds: seconds });
  const tasks = [
    left(task("done", 1, [], "unproved", 5), null),
    left(task("runs", 1, [], "working"), 360),
    left(task("next", 2, ["done"]), 600),
  ];

  expect([...criticalPath({ tasks }).estimates]).toEqual([
    ["runs", 360],
    ["next", 600],
  ]);
});

test("a mission takes as long as its work, but at least its longest chain, and is not estimated too early", () => {
  const mission = {
    tasks: [],
    remaining_seconds: 900,
    critical_seconds: 600,
    estimated_range: [600, 1_200] as [number, number],
  };

  expect(secondsLeft(mission, 0)).toBe(900);
  expect(secondsLeft({ ...mission, remaining_seconds: 200 }, 0)).toBe(600);
  expect(secondsLeftRange({ ...mission, critical_seconds: 2_000 }, 0)).toEqual([600, 2_000]);
  const early = { tasks: [], remaining_seconds: null, critical_seconds: null, estimated_range: null };
  expect([secondsLeft(early, 0), secondsLeftRange(early, 0), estimatedEnd(early, 0)]).toEqual([null, null, null]);
});

test("an estimate without new data moves with the clock and is never in the past", () => {
  const start = Date.parse("2026-01-15T10:00:00Z");
  const mission = {
    tasks: [
      {
        ...task("runs", 1, [], "working"),
        started_at: "2026-01-14T10:00:00Z",
        attempt_started_at: "2026-01-15T10:00:00Z",
      },
    ],
    remaining_seconds: 14,
    critical_seconds: 14,
    estimated_range: [10, 20] as [number, number],
  };
  const tenMinutesOn = start + 600_000;

  expect(estimatedEnd(mission, start)).toBe("2026-01-15T10:00:14.000Z");
  expect(secondsLeft(mission, tenMinutesOn)).toBe(600);
  expect(secondsLeftRange(mission, tenMinutesOn)).toEqual([600, 600]);
  expect(estimatedEnd(mission, tenMinutesOn)).toBe("2026-01-15T10:20:00.000Z");
});
