// Finds the tasks that a task blocks, and lays them out for a small graph.
import type { MissionTask } from "@/api/types";

const ENDED = new Set(["proved", "unproved", "accepted", "partial", "failed", "skipped"]);
const COLUMNS = 3;
const ROWS = 3;

/** Return the open tasks that depend on a task, the nearest first. */
export function tasksBlockedBy(tasks: readonly MissionTask[], id: string): MissionTask[] {
  const found: MissionTask[] = [];
  const seen = new Set([id]);
  let edge = [id];
  while (edge.length > 0) {
    const next = tasks.filter((task) => !seen.has(task.id) && task.depends_on.some((need) => edge.includes(need)));
    for (const task of next) seen.add(task.id);
    found.push(...next.filter((task) => !ENDED.has(task.state)));
    edge = next.map((task) => task.id);
  }
  return found;
}

export interface Placed {
  task: MissionTask;
  column: number;
  /** Its position in the column, counted from the middle: -1, 0 and 1 of three. */
  row: number;
}

export interface Drawing {
  nodes: Placed[];
  edges: [from: Placed, to: Placed][];
  columns: number;
  rows: number;
  /** How many more tasks it blocks than are shown. */
  more: number;
}

/** Lay out the task and those it blocks in columns by distance, the critical path first. */
export function layOutBlockedTasks(tasks: readonly MissionTask[], own: MissionTask): Drawing {
  const held = tasksBlockedBy(tasks, own.id);
  const distance = distances(held);
  const columns = Array.from({ length: COLUMNS }, (_, at) =>
    at === 0 ? [own] : held.filter((task) => distance.get(task.id) === at),
  );
  const shown = columns
    .filter((column) => column.length > 0)
    .map((column) => column.toSorted((one, other) => Number(other.critical) - Number(one.critical)).slice(0, ROWS));
  const nodes = shown.flatMap((column, at) =>
    column.map((task, row) => ({ task, column: at, row: row - (column.length - 1) / 2 })),
  );
  return {
    nodes,
    edges: nodes.flatMap((to) =>
      nodes.filter((from) => to.task.depends_on.includes(from.task.id)).map((from): [Placed, Placed] => [from, to]),
    ),
    columns: shown.length,
    rows: Math.max(...shown.map((column) => column.length)),
    more: held.length + 1 - nodes.length,
  };
}

/** Return the longest distance of each task from the first; exact for as many columns as are shown. */
function distances(held: readonly MissionTask[]): Map<string, number> {
  const found = new Map(held.map((task) => [task.id, 1]));
  for (let pass = 1; pass < COLUMNS; pass += 1)
    for (const task of held)
      found.set(task.id, Math.max(0, ...task.depends_on.map((need) => found.get(need) ?? 0)) + 1);
  return found;
}
