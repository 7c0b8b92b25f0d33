// How long tasks take, and which of them decide when the mission is done.
import type { MissionOverview, MissionTask } from "@/api/types";

const DONE = new Set(["claimed", "partial", "skipped"]);
const GOING = new Set(["working", "planning"]);

export interface Critical {
  /** Ids on the chain that decides when the mission is done. */
  path: Set<string>;
  /** For each task without an end yet, how many seconds it will probably take from now on; nothing while too few have ended. */
  estimates: Map<string, number>;
}

export function isDone(task: MissionTask): boolean {
  return DONE.has(task.state);
}

/** The path and what is left of each task, as the server found them. */
export function critical(mission: Pick<MissionOverview, "tasks">): Critical {
  return {
    path: new Set(mission.tasks.filter((task) => task.critical).map((task) => task.id)),
    estimates: new Map(mission.tasks.flatMap((task) => (task.remaining_seconds === null ? [] : [[task.id, task.remaining_seconds]]))),
  };
}

export function isGoing(task: Pick<MissionTask, "state" | "attempt_started_at">): boolean {
  return task.attempt_started_at !== null && GOING.has(task.state);
}

type Timed = Pick<MissionOverview, "tasks" | "remaining_seconds" | "critical_seconds" | "estimated_range">;

/** Seconds until the mission is probably done: all its work, but no sooner than its longest chain, and never less than
 * what is worked on has taken by now. So it grows while nothing ends. Null while too few tasks have ended to say. */
export function secondsAhead(mission: Timed, now: number): number | null {
  if (mission.remaining_seconds === null || mission.critical_seconds === null) return null;
  return Math.max(mission.remaining_seconds, mission.critical_seconds, ...taken(mission, now));
}

/** The range in which that probably lies. */
export function rangeAhead(mission: Timed, now: number): [number, number] | null {
  const ahead = secondsAhead(mission, now);
  if (ahead === null || mission.estimated_range === null) return null;
  const [low = 0, high = 0] = mission.estimated_range;
  return [Math.min(ahead, Math.max(low, ...taken(mission, now))), Math.max(ahead, high)];
}

/** When the mission will probably be done if work goes on now: never before now. */
export function doneAbout(mission: Timed, now: number): string | null {
  const ahead = secondsAhead(mission, now);
  return ahead === null ? null : new Date(now + ahead * 1_000).toISOString();
}

/** Seconds that the current attempt at each task at work has taken. */
function taken(mission: Pick<MissionOverview, "tasks">, now: number): number[] {
  return mission.tasks.filter(isGoing).map((task) => Math.max(0, (now - Date.parse(task.attempt_started_at!)) / 1_000));
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
