// The words for an agent's marker, the line `@task::{…}` with which it sends a signal. The command line uses the same.
import { beginning } from "@/ui/expandable-text";

/** A signal as one line of a terminal: its text, and the terminal's color for its tone. */
export interface DrawnMarker {
  text: string;
  color: number;
}

const MAX_WORDS = 300;
const [RED, GREEN, YELLOW, BLUE, GRAY] = [31, 32, 33, 34, 90];

interface Kind {
  sign: string;
  lead: string;
  color: number;
}

const KINDS: Record<string, Kind> = {
  progress: { sign: "◇", lead: "", color: BLUE },
  needs_input: { sign: "?", lead: "asks: ", color: YELLOW },
  blocked: { sign: "!", lead: "blocked: ", color: RED },
  ready_for_verification: { sign: "◆", lead: "ready to be checked: ", color: YELLOW },
  completed_claim: { sign: "✓", lead: "reports done: ", color: GREEN },
  failed_claim: { sign: "✗", lead: "reports failure: ", color: RED },
};
const OTHER: Kind = { sign: "·", lead: "", color: GRAY };

type Signal = Record<string, unknown> & { type: string };

/** Return the text after a marker's prefix as one line; null if it is not a valid marker of this execution. */
export function drawMarker(body: string, executionId: string): DrawnMarker | null {
  const signal = signalOf(body, executionId);
  if (signal === null) return null;
  const { sign, lead, color } = KINDS[signal.type] ?? OTHER;
  return { text: `${sign} ${lead}${wordsOf(signal)}`, color };
}

function signalOf(body: string, executionId: string): Signal | null {
  let envelope: Record<string, unknown> | null;
  try {
    envelope = JSON.parse(body) as Record<string, unknown> | null;
  } catch {
    return null;
  }
  if (envelope === null || typeof envelope !== "object") return null;
  const { version, agentExecutionId, eventId, signal } = envelope;
  if (version !== 1 || agentExecutionId !== executionId || typeof eventId !== "string" || eventId === "") return null;
  if (signal === null || typeof signal !== "object") return null;
  return typeof (signal as Signal).type === "string" ? (signal as Signal) : null;
}

function wordsOf(signal: Signal): string {
  const said = [signal.summary, signal.question, signal.reason, signal.text].find((each) => typeof each === "string");
  const words = inOneLine(typeof said === "string" ? said : signal.type);
  const choices = signal.type === "needs_input" ? choicesOf(signal.choices) : [];
  return choices.length > 0 ? `${words} (${choices.join(" · ")})` : words;
}

function choicesOf(choices: unknown): string[] {
  if (!Array.isArray(choices)) return [];
  const labels = choices.map((each) => (typeof each === "string" ? each : (each as { label?: unknown } | null)?.label));
  return labels.flatMap((label, index) => (typeof label === "string" ? [`${index + 1} ${inOneLine(label)}`] : []));
}

/** Return a text on one line, without characters that would move the cursor or change the order of others. */
function inOneLine(text: string): string {
  const plain = text
    .replace(/\s+/g, " ")
    .replace(/[\p{Cc}\p{Bidi_Control}]/gu, "")
    .trim();
  return plain.length > MAX_WORDS ? `${beginning(plain, MAX_WORDS - 1)}…` : plain;
}
