// Estimates how long tasks take, and when a mission will be done.
import type { MissionOverview, MissionTask } from "@/api/types";

const DONE = new Set(["proved", "unproved", "accepted", "partial", "skipped"]);
const GOING = new Set(["working", "planning"]);

export interface CriticalPath {
  /** Ids of the tasks on the critical path. */
  path: Set<string>;
  /** Estimated seconds left for each unfinished task; empty until enough tasks have finished. */
  estimates: Map<string, number>;
}

export function isDone(task: MissionTask): boolean {
  return DONE.has(task.state);
}

/** Return the critical path and the estimate for each task, as the server computed them. */
export function criticalPath(mission: Pick<MissionOverview, "tasks">): CriticalPath {
  return {
    path: new Set(mission.tasks.filter((task) => task.critical).map((task) => task.id)),
    estimates: new Map(
      mission.tasks.flatMap((task) => (task.remaining_seconds === null ? [] : [[task.id, task.remaining_seconds]])),
    ),
  };
}

export function isRunning(task: Pick<MissionTask, "state" | "attempt_started_at">): boolean {
  return task.attempt_started_at !== null && GOING.has(task.state);
}

type Timed = Pick<MissionOverview, "tasks" | "remaining_seconds" | "critical_seconds" | "estimated_range">;

/** Return the estimated seconds until the mission is done: its remaining work, but at least its longest chain and the
 * time that running tasks have taken so far. Null until enough tasks have finished. */
export function secondsLeft(mission: Timed, now: number): number | null {
  if (mission.remaining_seconds === null || mission.critical_seconds === null) return null;
  return Math.max(mission.remaining_seconds, mission.critical_seconds, ...taken(mission, now));
}

/** Return the likely range of that estimate. */
export function secondsLeftRange(mission: Timed, now: number): [number, number] | null {
  const ahead = secondsLeft(mission, now);
  if (ahead === null || mission.estimated_range === null) return null;
  const [low = 0, high = 0] = mission.estimated_range;
  return [Math.min(ahead, Math.max(low, ...taken(mission, now))), Math.max(ahead, high)];
}

/** Return when the mission will probably be done; never a time in the past. */
export function estimatedEnd(mission: Timed, now: number): string | null {
  const ahead = secondsLeft(mission, now);
  return ahead === null ? null : new Date(now + ahead * 1_000).toISOString();
}

/** Seconds that the current attempt at each task at work has taken. */
function taken(mission: Pick<MissionOverview, "tasks">, now: number): number[] {
  return mission.tasks
    .filter(isRunning)
    .map((task) => Math.max(0, (now - Date.parse(task.attempt_started_at!)) / 1_000));
}

/** Return the seconds from a task's start to its end, or to now. */
export function elapsed(task: MissionTask, now: number): number {
  if (task.started_at === null) return 0;
  const end = task.completed_at !== null ? Date.parse(task.completed_at) : now;
  return Math.max(0, (end - Date.parse(task.started_at)) / 1_000);
}

/** Return tasks with dependencies before dependents. The server refuses cycles; one would be cut here. */
export function dependencyOrder(tasks: readonly MissionTask[]): MissionTask[] {
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
