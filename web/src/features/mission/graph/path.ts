// How long tasks take, and which of them decide when the mission is done.
import type { MissionOverview, MissionTask } from "@/api/types";

const DONE = new Set(["claimed", "partial", "skipped"]);
const SHORTEST_REST = 0.1;

export interface Critical {
  /** Ids on the chain that decides when the mission is done. */
  path: Set<string>;
  /** For each task without an end yet, how many seconds it will probably take from now on; nothing before one has ended. */
  estimates: Map<string, number>;
}

export function isDone(task: MissionTask): boolean {
  return DONE.has(task.state);
}

/** The path as the server found it; a task without an end takes what the latest ones took. */
export function critical(mission: Pick<MissionOverview, "tasks" | "typical_seconds">, now: number): Critical {
  const usual = mission.typical_seconds ?? 0;
  const open = usual === 0 ? [] : mission.tasks.filter((task) => !isDone(task) && task.state !== "failed");
  return {
    path: new Set(mission.tasks.filter((task) => task.critical).map((task) => task.id)),
    estimates: new Map(open.map((task) => [task.id, Math.max(usual - elapsed(task, now), usual * SHORTEST_REST)])),
  };
}

/** Seconds until the mission is probably done: all its work, but no sooner than its longest chain. Nothing before a task has ended. */
export function secondsAhead(mission: Pick<MissionOverview, "remaining_seconds" | "critical_seconds">): number | null {
  return mission.remaining_seconds === null ? null : Math.max(mission.remaining_seconds, mission.critical_seconds);
}

/** When the mission will probably be done. */
export function doneAbout(mission: Pick<MissionOverview, "now" | "remaining_seconds" | "critical_seconds">): string | null {
  const ahead = secondsAhead(mission);
  return ahead === null ? null : new Date(Date.parse(mission.now) + ahead * 1_000).toISOString();
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
