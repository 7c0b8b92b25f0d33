// Which chain of tasks decides when a mission is done, and when that will be.
import type { MissionTask } from "@/api/types";

const DONE = new Set(["claimed", "partial", "skipped"]);
const FALLBACK = 20 * 60;

export interface Critical {
  /** Ids on the longest chain from begin to end. */
  path: Set<string>;
  /** Seconds until the last task of the longest unfinished chain is done. */
  remaining: number;
  /** For each task without an end yet, how long it will probably take from now on. */
  estimates: Map<string, number>;
}

export function isDone(task: MissionTask): boolean {
  return DONE.has(task.state);
}

/** Longest chain by time: what a task took, or will probably take. */
export function critical(tasks: readonly MissionTask[], typical: number | null, now: number): Critical {
  const usual = typical ?? FALLBACK;
  const estimates = new Map<string, number>();
  const total = new Map<string, number>();
  const left = new Map<string, number>();
  const before = new Map<string, string>();
  const byId = new Map(tasks.map((task) => [task.id, task]));
  for (const task of ordered(tasks)) {
    const spent = elapsed(task, now);
    const rest = isDone(task) || task.state === "failed" ? 0 : Math.max(usual - spent, usual * 0.1);
    if (!isDone(task)) estimates.set(task.id, rest);
    let longest = 0;
    let awaited = 0;
    for (const id of task.depends_on) {
      if (!byId.has(id)) continue;
      const chain = total.get(id) ?? 0;
      if (chain > longest || !before.has(task.id)) {
        longest = Math.max(longest, chain);
        before.set(task.id, id);
      }
      awaited = Math.max(awaited, left.get(id) ?? 0);
    }
    total.set(task.id, longest + spent + rest + 1);
    left.set(task.id, awaited + rest);
  }
  return { path: chainTo(furthest(tasks, left, total), before), remaining: Math.max(0, ...left.values()), estimates };
}

function furthest(tasks: readonly MissionTask[], left: Map<string, number>, total: Map<string, number>): string | undefined {
  let found: string | undefined;
  for (const { id } of tasks) {
    if (found === undefined) found = id;
    const later = (left.get(id) ?? 0) - (left.get(found) ?? 0);
    if (later > 0 || (later === 0 && (total.get(id) ?? 0) > (total.get(found) ?? 0))) found = id;
  }
  return found;
}

function chainTo(end: string | undefined, before: Map<string, string>): Set<string> {
  const path = new Set<string>();
  for (let id = end; id !== undefined && !path.has(id); id = before.get(id)) path.add(id);
  return path;
}

/** Seconds between a task's begin and its end, or now. */
export function elapsed(task: MissionTask, now: number): number {
  if (task.started_at === null) return 0;
  const end = task.completed_at !== null ? Date.parse(task.completed_at) : now;
  return Math.max(0, (end - Date.parse(task.started_at)) / 1_000);
}

/** Dependencies before their dependents; a circle, which the server refuses, would be cut. */
export function ordered(tasks: readonly MissionTask[]): MissionTask[] {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const state = new Map<string, "open" | "done">();
  const found: MissionTask[] = [];
  for (const start of tasks) {
    const stack: [MissionTask, number][] = [[start, 0]];
    while (stack.length > 0) {
      const top = stack[stack.length - 1]!;
      const [task, at] = top;
      if (at === 0) {
        if (state.has(task.id)) {
          stack.pop();
          continue;
        }
        state.set(task.id, "open");
      }
      const next = task.depends_on[at];
      if (next === undefined) {
        state.set(task.id, "done");
        found.push(task);
        stack.pop();
        continue;
      }
      top[1] += 1;
      const need = byId.get(next);
      if (need !== undefined && !state.has(next)) stack.push([need, 0]);
    }
  }
  return found;
}
