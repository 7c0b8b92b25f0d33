// The status, spending and last activity of an execution.
import type { ExecutionRecord, RunGlance } from "@/api/types";
import { amount, exactSpan, span } from "@/ui/format";
import { EXECUTION, type Status, statusFor, TASK } from "@/ui/status/status";

const SILENT_AFTER = 90;
export const LIVE = ["starting", "running", "waiting"] as const;
export const ENDED = ["completed", "failed", "stopped", "lost"] as const;

type WithActivity = Pick<
  RunGlance,
  "status" | "task_state" | "shown_at" | "started_at" | "created_at" | "updated_at" | "ended_at"
>;

export function isLive(execution: Pick<ExecutionRecord, "status">): boolean {
  return (LIVE as readonly string[]).includes(execution.status);
}

export function executionStatus(execution: Pick<ExecutionRecord, "status" | "exit_code">): Status {
  if (execution.status === "completed") return EXECUTION.exited!;
  if (execution.status === "failed" && execution.exit_code)
    return { ...EXECUTION.failed!, word: `Exited ${execution.exit_code}` };
  return statusFor(EXECUTION, execution.status);
}

/** Return the status of an execution, or Blocked if its task waits for you. */
export function shownStatus(execution: Pick<RunGlance, "status" | "exit_code" | "task_state">): Status {
  return isLive(execution) && execution.task_state === "blocked" ? TASK.blocked! : executionStatus(execution);
}

const number = (value: unknown) => (typeof value === "number" ? value : 0);

/** Return `655k tokens`, or an empty string if the client reports none. */
export function tokensOf(execution: Pick<ExecutionRecord, "usage">): string {
  const total = number(execution.usage?.input_tokens) + number(execution.usage?.output_tokens);
  return total > 0 ? `${amount(total)} tokens` : "";
}

/** Return `$3.12`, or an empty string if the client reports none. */
export function costOf(execution: Pick<ExecutionRecord, "usage">): string {
  const cost = number(execution.usage?.cost_usd);
  return cost > 0 ? `$${cost.toFixed(2)}` : "";
}

/** Return how long an execution ran, or has run so far, in seconds. */
export function secondsOf(
  execution: Pick<ExecutionRecord, "duration_seconds" | "started_at" | "created_at">,
  now: number,
): number {
  return execution.duration_seconds ?? (now - Date.parse(execution.started_at ?? execution.created_at)) / 1_000;
}

/** Return why an execution did not end well: its agent's own words, or what was seen of it; null if it did. */
export function failureOf(execution: Pick<ExecutionRecord, "status" | "claim" | "reason">): string | null {
  const said = execution.claim?.type === "failed_claim" ? execution.claim.reason : null;
  if (typeof said === "string") return said;
  return ["failed", "lost", "stopped"].includes(execution.status) ? execution.reason : null;
}

/** Return whether a running execution has had no output for 90 seconds. */
export function isSilent(execution: WithActivity, lastOutput: number | null, now: number): boolean {
  const quiet = execution.status !== "waiting" && isLive(execution) && execution.task_state !== "blocked";
  return quiet && now - lastOutputAt(execution, lastOutput) >= SILENT_AFTER * 1_000;
}

/** Describe the last activity; after 90 seconds without output it is silent. */
export function lastActivity(
  execution: WithActivity,
  lastOutput: number | null,
  now: number,
): { words: string; urgent: boolean } {
  if (execution.ended_at !== null) {
    const ended = span((now - Date.parse(execution.ended_at)) / 1_000);
    return execution.status === "lost"
      ? { words: `lost ${ended} ago`, urgent: true }
      : { words: `ended ${ended} ago`, urgent: false };
  }
  const since = (now - Date.parse(execution.updated_at)) / 1_000;
  if (execution.status === "waiting") return { words: `waiting ${span(since)}`, urgent: true };
  if (execution.task_state === "blocked") return { words: `blocked ${span(since)}`, urgent: true };
  const seconds = (now - lastOutputAt(execution, lastOutput)) / 1_000;
  if (seconds >= SILENT_AFTER) return { words: `silent ${exactSpan(seconds)}`, urgent: true };
  return { words: seconds < 1 ? "now" : `${span(seconds)} ago`, urgent: false };
}

/** Return the time of the last output, as seen by this page or the daemon, or the start. */
function lastOutputAt(execution: WithActivity, lastOutput: number | null): number {
  return Math.max(lastOutput ?? 0, Date.parse(execution.shown_at ?? execution.started_at ?? execution.created_at));
}
