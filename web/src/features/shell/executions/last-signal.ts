// What an agent said last about its work: a signal of a launched agent, or an entry of the task's journal.
import type { CheckpointRecord, ExecutionRecord } from "@/api/types";
import type { Status } from "@/ui/status/status";

export interface LastSignal {
  at: string;
  words: string;
  status: Status;
}

const status = (shape: Status["shape"], tone: Status["tone"], word: string): Status => ({ shape, tone, word });

export const SIGNAL: Record<string, Status> = {
  progress: status("diamond", "progress", "Progress"),
  needs_input: status("diamond-question", "attention", "Asks you"),
  blocked: status("triangle", "attention", "Blocked"),
  ready_for_verification: status("diamond-check", "attention", "Ready to be checked"),
  completed_claim: status("dashed-check", "success", "Reports done"),
  failed_claim: status("octagon", "danger", "Reports failure"),
  message: status("ring", "neutral", "Note"),
};
const OTHER = status("ring-slash", "muted", "Observed");

/** Return the status for a type of signal; the word of an unknown type is the type. */
export function signalStatus(type: string): Status {
  return SIGNAL[type] ?? { ...OTHER, word: type.replaceAll("_", " ").replaceAll("-", " ") };
}

type Said = Record<string, unknown> | null;

/** Return the text of a signal, or an empty string. */
export function signalWords(said: Said): string {
  const found = said?.summary ?? said?.question ?? said?.message ?? said?.reason ?? said?.text;
  return typeof found === "string" ? found : "";
}

/** Return the newest of the signals and checkpoints; null if there is none. */
export function lastSignal(
  executions: readonly Pick<ExecutionRecord, "progress" | "claim">[],
  checkpoints: readonly CheckpointRecord[],
): LastSignal | null {
  const signals = executions.flatMap(({ progress, claim }) => [
    signalOf(progress, "progress"),
    signalOf(claim, String(claim?.type)),
  ]);
  const entries = checkpoints.map((entry) => ({
    at: entry.created_at,
    words: entry.summary,
    status: SIGNAL[entry.type] ?? status("diamond", "progress", entry.type),
  }));
  const found = [...signals.filter((each) => each !== null), ...entries];
  return found.sort((one, other) => other.at.localeCompare(one.at))[0] ?? null;
}

function signalOf(said: Said, type: string): LastSignal | null {
  const words = signalWords(said);
  return typeof said?.at === "string" && words !== "" ? { at: said.at, words, status: signalStatus(type) } : null;
}
