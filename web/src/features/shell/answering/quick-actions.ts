// Actions on an inbox item that work without opening it.
import type { ItemRow } from "@/api/types";
import { choicesOf } from "./answer-draft";
import { type AnswerAction, outbox } from "./outbox";

export interface QuickAction {
  /** The label of the button. */
  label: string;
  action: AnswerAction;
  /** A summary shown after the action. */
  words: string;
  /** The number key of the choice, if it is one. */
  number: number | null;
}

const MAX = 3;
const RESOLVED = "Resolved.";
const REASSIGNED = "The task was assigned to another agent.";
const INCIDENTS = new Set(["escalation", "health"]);

/** Return whether an item asks to approve commands that an agent proposed. */
export function isProposal(item: Pick<ItemRow, "kind" | "choices">): boolean {
  return item.kind === "checks" && item.choices.length > 0;
}

/** Return whether an answer needs a look at the item first: nobody approves a diff, a command or a run unseen. */
export function mustBeOpened(item: Pick<ItemRow, "kind" | "choices">): boolean {
  return item.kind === "review" || item.kind === "run" || isProposal(item);
}

/** Return the agent's first choices, or the actions for its kind. */
export function quickActionsFor(item: ItemRow): QuickAction[] {
  if (mustBeOpened(item)) return [];
  const choices = choicesOf(item)
    .slice(0, item.kind === "failure" ? undefined : MAX)
    .filter((choice) => choice.fixed);
  if (choices.length > 0)
    return choices.map(({ label, number }) => ({
      label,
      number,
      words: label,
      action: { kind: "answer", args: { id: item.id, choice: number } },
    }));
  const act = (label: string, words: string, action: AnswerAction): QuickAction => ({
    label,
    words,
    action,
    number: null,
  });
  if (item.kind === "blocker")
    return [act("Resolve", RESOLVED, { kind: "answer", args: { id: item.id, text: RESOLVED } })];
  if (!INCIDENTS.has(item.kind) || item.task_id === null) return [];
  const move = (label: string, words: string, status: "pending" | "skipped") =>
    act(label, words, { kind: "move", args: { id: item.id, text: words }, task: item.task_id!, status });
  return [move("Retry", "Try it again", "pending"), move("Skip", "Skip it", "skipped")];
}

/** Answer an item whose task was assigned to another agent. This cannot be undone. */
export function closeReassigned(item: ItemRow): void {
  outbox.put(item, { kind: "answer", args: { id: item.id, text: REASSIGNED } }, REASSIGNED);
  void outbox.send(item.id);
}

/** Return whether the item's task can be assigned to another agent. */
export function canReassign(item: ItemRow): boolean {
  return INCIDENTS.has(item.kind) && item.task_id !== null;
}
