// What a node shows and says about its tasks: state, stage in a run, evidence, failed attempts and neighbors.
import type { MissionTask, RunTask } from "@/api/types";
import { describeChecks } from "@/features/shell/evidence/describe-checks";
import { elapsed } from "@/features/shell/missions/time-estimates";
import { stageStatus } from "@/features/shell/runs/run-status";
import { describeFailedAttempts, plural, span } from "@/ui/format";
import { serverNow } from "@/ui/hooks/use-server-clock";
import { type Status, statusFor, TASK } from "@/ui/status/status";
import type { Box } from "./layout/fold-finished";

/** Stages that say more than the state of the task. */
const TELLING = new Set(["checking", "reviewing", "merging", "merged", "asking", "retrying"]);
const NAMED_NEIGHBORS = 3;

/** Return the stage of a task in a live run if it says more than the task's own state. */
export function stageOf(task: MissionTask, stages: ReadonlyMap<string, RunTask>): Status | null {
  const found = stages.get(task.id);
  return found !== undefined && TELLING.has(found.stage) ? stageStatus(found) : null;
}

/** Return the state that a box shows: folded tasks are proved only if all of them are. */
export function stateOf(box: Box): string {
  if (box.folded === "waiting") return "waiting";
  if (box.folded === null) return box.tasks[0]!.state;
  return box.tasks.every((task) => task.state === "proved") ? "proved" : "unproved";
}

export function statusOf(box: Box, stages: ReadonlyMap<string, RunTask>): Status {
  const stage = box.folded === null ? stageOf(box.tasks[0]!, stages) : null;
  return stage ?? statusFor(TASK, stateOf(box));
}

export function nameOf(box: Box): string {
  if (box.folded === null) return box.tasks[0]!.name;
  if (box.folded === "waiting") return `${box.tasks.length} waiting`;
  const proved = box.tasks.filter((task) => task.state === "proved").length;
  return proved === box.tasks.length ? `${proved} proved` : `${box.tasks.length} done, ${proved} proved`;
}

/** Return the state of a box and what goes with it, for its tooltip and for screen readers. */
export function describeBox(box: Box, status: Status, critical: boolean): string {
  if (box.folded !== null) return `folded, Enter shows ${plural(box.tasks.length, "task")}`;
  const task = box.tasks[0]!;
  const parts = [status.word, describeChecks(task), task.agent ?? "", describeFailedAttempts(task.failed_attempts)];
  return [...parts, critical ? "on the critical path" : ""].filter(Boolean).join(", ");
}

/** Return `depends on A and 2 more, unblocks B`. */
export function describeNeighbors(needs: readonly string[], unblocks: readonly string[]): string {
  return [listed("depends on", needs), listed("unblocks", unblocks)].filter(Boolean).join(", ");
}

function listed(verb: string, names: readonly string[]): string {
  if (names.length === 0) return "";
  const shown = names.slice(0, NAMED_NEIGHBORS);
  const rest = names.length - shown.length;
  return `${verb} ${shown.join(" and ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

/** Return `3/4` for the checks of a task; an empty string if it has none. */
export function evidenceOf({ checks }: Pick<MissionTask, "checks">): string {
  return checks === null || checks.total === 0 ? "" : `${checks.passed}/${checks.total}`;
}

export function timeOf(task: MissionTask): string {
  return task.started_at === null ? "" : span(elapsed(task, serverNow()), { short: true });
}
