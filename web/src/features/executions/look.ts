// How an execution reads: its state, its spending, its silence.
import type { ExecutionRecord } from "@/api/types";
import { EXECUTION, look, type Status } from "@/ui/status";
import { amount, span } from "@/ui/text";

const SILENT_AFTER = 90;
export const LIVE = ["starting", "running", "waiting"] as const;

type Seen = Pick<ExecutionRecord, "status" | "exit_code" | "usage" | "updated_at" | "ended_at">;

export function isLive(execution: Pick<ExecutionRecord, "status">): boolean {
  return (LIVE as readonly string[]).includes(execution.status);
}

export function statusOf(execution: Pick<ExecutionRecord, "status" | "exit_code">): Status {
  if (execution.status === "completed") return EXECUTION["exited"]!;
  if (execution.status === "failed" && execution.exit_code !== null)
    return { ...EXECUTION["failed"]!, word: `Exited ${execution.exit_code}` };
  return look(EXECUTION, execution.status);
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

/** How long ago it was heard of; from 90 s on that is silence. */
export function heard(execution: Seen, lastOutput: number | null, now: number): { words: string; silent: boolean } {
  if (execution.ended_at !== null) return { words: `ended ${span((now - Date.parse(execution.ended_at)) / 1_000)} ago`, silent: false };
  const seconds = (now - (lastOutput ?? Date.parse(execution.updated_at))) / 1_000;
  if (execution.status === "waiting") return { words: `waits ${span(seconds)}`, silent: false };
  if (seconds >= SILENT_AFTER) return { words: `silent ${span(seconds)}`, silent: true };
  return { words: seconds < 1 ? "now" : `${span(seconds)} ago`, silent: false };
}
