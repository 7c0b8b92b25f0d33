// Which tasks stand still until one task goes on: everything after it that has not ended.
import type { MissionTask } from "@/api/types";

const ENDED = new Set(["claimed", "partial", "failed", "skipped"]);

/** Open tasks behind a task, the nearest first. */
export function heldBehind(tasks: readonly MissionTask[], id: string): MissionTask[] {
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
