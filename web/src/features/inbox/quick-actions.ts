// What can be done with an item where it is read, without opening it.
import type { ItemRow } from "@/api/types";
import { choicesOf } from "./answering/answer-draft";
import { outbox, type Wish } from "./answering/outbox";

export interface Act {
  /** What the button says. */
  label: string;
  wish: Wish;
  /** What stands in its place afterwards. */
  words: string;
  /** The key that does it, for choices of the agent. */
  number: number | null;
}

const MOST = 3;
const RESOLVED = "It is resolved.";
const REASSIGNED = "The task was given to another agent.";
const INCIDENTS = new Set(["escalation", "health"]);

/** The agent's first choices; else what fits its kind. */
export function actsOf(item: ItemRow): Act[] {
  const choices = choicesOf(item)
    .slice(0, item.kind === "failure" ? undefined : MOST)
    .filter((choice) => choice.fixed);
  if (choices.length > 0)
    return choices.map(({ label, number }) => ({ label, number, words: label, wish: { kind: "answer", args: { id: item.id, choice: number } } }));
  const act = (label: string, words: string, wish: Wish): Act => ({ label, words, wish, number: null });
  if (item.kind === "blocker") return [act("Resolve", RESOLVED, { kind: "answer", args: { id: item.id, text: RESOLVED } })];
  if (!INCIDENTS.has(item.kind) || item.task_id === null) return [];
  const move = (label: string, words: string, status: "pending" | "skipped") =>
    act(label, words, { kind: "move", args: { id: item.id, text: words }, task: item.task_id!, status });
  return [move("Retry", "Try it again", "pending"), move("Skip", "Skip it", "skipped")];
}

/** Its task was given to another agent: that is the answer, and nothing of it can be taken back. */
export function closeReassigned(item: ItemRow): void {
  outbox.put(item, { kind: "answer", args: { id: item.id, text: REASSIGNED } }, REASSIGNED);
  void outbox.send(item.id);
}

/** Whether its task may be given to another agent from here. */
export function canReassign(item: ItemRow): boolean {
  return INCIDENTS.has(item.kind) && item.task_id !== null;
}
