// The status of a run and of its tasks, and a few words about them.
import type { RunRow, RunTask } from "@/api/types";
import { plural } from "@/ui/format";
import { RUN, STAGE, type Status, statusFor, TASK } from "@/ui/status/status";

const LIVE = new Set(["planning", "ready", "running", "paused", "finishing"]);

/** Return whether a run has not ended. */
export function isLiveRun({ state }: { state: string }): boolean {
  return LIVE.has(state);
}

/** Return the status of a run. One that cannot start before you answer waits for you. */
export function runStatus({ state }: { state: string }, questions: number): Status {
  return state === "ready" && questions > 0 ? RUN.waits! : statusFor(RUN, state);
}

/** Return the status of a task in a run. A merged one is solid only if it is proved or accepted. */
export function stageStatus(task: Pick<RunTask, "stage" | "proof_state">): Status {
  const found = statusFor(STAGE, task.stage);
  if (task.stage !== "merged" || task.proof_state === "proved") return found;
  return { ...found, shape: task.proof_state === "accepted" ? "disc-person" : "dashed-check", word: proofWord(task) };
}

function proofWord({ proof_state }: Pick<RunTask, "proof_state">): string {
  return `Merged, ${statusFor(TASK, proof_state ?? "unproved")
    .word.replace("Done, ", "")
    .toLowerCase()}`;
}

/** Return `3 of 8 tasks merged · 1 question`. */
export function describeRun(run: Pick<RunRow, "tasks_completed" | "tasks_total" | "questions">): string {
  const parts = [`${run.tasks_completed} of ${plural(run.tasks_total, "task")} merged`];
  if (run.questions > 0) parts.push(plural(run.questions, "open question"));
  return parts.join(" · ");
}

/** Return the beginning of a commit id. */
export function shortCommit(commit: string): string {
  return commit.slice(0, 10);
}
