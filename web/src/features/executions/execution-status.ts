// How an execution reads: its state, its spending, its silence.
import type { ExecutionRecord, RunGlance } from "@/api/types";
import { EXECUTION, look, TASK, type Status } from "@/ui/status/status";
import { amount, exactSpan, span } from "@/ui/format";

const SILENT_AFTER = 90;
export const LIVE = ["starting", "running", "waiting"] as const;
export const ENDED = ["completed", "failed", "stopped", "lost"] as const;

type Seen = Pick<RunGlance, "status" | "task_state" | "shown_at" | "started_at" | "created_at" | "updated_at" | "ended_at">;

export function isLive(execution: Pick<ExecutionRecord, "status">): boolean {
  return (LIVE as readonly string[]).includes(execution.status);
}

export function statusOf(execution: Pick<ExecutionRecord, "status" | "exit_code">): Status {
  if (execution.status === "completed") return EXECUTION["exited"]!;
  if (execution.status === "failed" && execution.exit_code)
    return { ...EXECUTION["failed"]!, word: `Exited ${execution.exit_code}` };
  return look(EXECUTION, execution.status);
}

/** The same, and whether its task stands still for a person. */
export function stateOf(execution: Pick<RunGlance, "status" | "exit_code" | "task_state">): Status {
  return isLive(execution) && execution.task_state === "blocked" ? TASK["blocked"]! : statusOf(execution);
}

const number = (value: unknown) => (typeof value === "number" ? value : 0);

/** `655k tokens`, or nothing when the client tells none. */
export function tokensOf(execution: Pick<ExecutionRecord, "usage">): string {
  const total = number(execution.usage?.["input_tokens"]) + number(execution.usage?.["output_tokens"]);
  return total > 0 ? `${amount(total)} tokens` : "";
}

/** `$3.12`, or nothing when the client tells none. */
export function costOf(execution: Pick<ExecutionRecord, "usage">): string {
  const cost = number(execution.usage?.["cost_usd"]);
  return cost > 0 ? `$${cost.toFixed(2)}` : "";
}

/** Whether a running one has shown nothing for 90 seconds. */
export function isSilent(execution: Seen, lastOutput: number | null, now: number): boolean {
  const quiet = execution.status !== "waiting" && isLive(execution) && execution.task_state !== "blocked";
  return quiet && now - lastHeard(execution, lastOutput) >= SILENT_AFTER * 1_000;
}

/** How long ago it was heard of; from 90 s on that is silence. */
export function heard(execution: Seen, lastOutput: number | null, now: number): { words: string; urgent: boolean } {
  if (execution.ended_at !== null) {
    const ended = span((now - Date.parse(execution.ended_at)) / 1_000);
    return execution.status === "lost" ? { words: `lost ${ended} ago`, urgent: true } : { words: `ended ${ended} ago`, urgent: false };
  }
  const since = (now - Date.parse(execution.updated_at)) / 1_000;
  if (execution.status === "waiting") return { words: `waits ${span(since)}`, urgent: true };
  if (execution.task_state === "blocked") return { words: `blocked ${span(since)}`, urgent: true };
  const seconds = (now - lastHeard(execution, lastOutput)) / 1_000;
  if (seconds >= SILENT_AFTER) return { words: `silent ${exactSpan(seconds)}`, urgent: true };
  return { words: seconds < 1 ? "now" : `${span(seconds)} ago`, urgent: false };
}

/** What was seen over its socket, else what the daemon saw, else its start. */
function lastHeard(execution: Seen, lastOutput: number | null): number {
  return Math.max(lastOutput ?? 0, Date.parse(execution.shown_at ?? execution.started_at ?? execution.created_at));
}
