// An answer before it is sent: one of the numbered choices, text, or both.
import type { AnswerItem, ItemRow } from "@/api/types";
import { plural } from "@/ui/format";
import { describeComments, type LineComment } from "../changes/line-comments";

export interface Choice {
  number: number;
  label: string;
  /** A description, if it says more than the label. */
  more: string | null;
  /** Whether it is complete without text. */
  fixed: boolean;
  placeholder: string;
  preferred: boolean;
}

export interface Draft {
  choice: number | null;
  text: string;
}

const APPROVES = "accept";
const APPROVE = "Approve";

export const BLANK: Draft = { choice: null, text: "" };

/** Return the choices of an item as they are shown. */
export function choicesOf(item: Pick<ItemRow, "kind" | "choices">): Choice[] {
  const asksItself = item.kind === "run"; // the values of a run's own choices are words for the program
  return item.choices.map((choice, index) => {
    const given = String(choice.label ?? choice.value ?? `Choice ${index + 1}`);
    const approves = choice.value === APPROVES;
    const label = approves ? APPROVE : given; // version 0.2 stored it as "Accept"
    const value = String(choice.description ?? (asksItself || approves ? "" : choice.value) ?? "");
    const fixed = choice.kind !== "manual";
    return {
      number: index + 1,
      label,
      more: fixed && value !== "" && value.toLowerCase() !== given.toLowerCase() ? value : null,
      fixed,
      placeholder: String(choice.placeholder ?? "write an answer"),
      preferred: choice.preferred === true || choice.recommended === true,
    };
  });
}

/** Return the choice and the text of a draft. If text is a choice of its own, other choices carry none. */
function partsOf(item: Pick<ItemRow, "kind" | "choices">, draft: Draft): { choice: Choice | undefined; text: string } {
  const choices = choicesOf(item);
  const choice = choices.find((each) => each.number === draft.choice);
  return { choice, text: choice?.fixed && choices.some((each) => !each.fixed) ? "" : draft.text.trim() };
}

/** Return the draft with comments on lines. They go with the choice that takes text: sending back. */
export function withComments(
  item: Pick<ItemRow, "kind" | "choices">,
  draft: Draft,
  comments: readonly LineComment[],
): Draft {
  const back = choicesOf(item).find((choice) => !choice.fixed);
  if (comments.length === 0 || back === undefined || (draft.choice ?? back.number) !== back.number) return draft;
  const text = [draft.text.trim(), describeComments(comments)].filter(Boolean).join("\n\n");
  return { choice: back.number, text };
}

/** Return the answer to send for a draft; null while it is empty. */
export function answerOf(item: ItemRow, draft: Draft): AnswerItem | null {
  const { choice, text } = partsOf(item, draft);
  if (choice?.fixed) return { id: item.id, choice: choice.number, ...(text !== "" ? { text } : {}) };
  if (text === "") return null;
  return { id: item.id, text, ...(choice !== undefined ? { choice: choice.number } : {}) };
}

/** Return a short summary of a draft. */
export function answerSummary(item: Pick<ItemRow, "kind" | "choices">, draft: Draft): string {
  const { choice, text } = partsOf(item, draft);
  return [choice?.fixed ? choice.label : "", text].filter(Boolean).join(": ");
}

/** Kinds whose send button carries the label of the choice. */
const LABELED = new Set(["review", "failure", "checks", "run"]);

/** Return the label of the send button. */
export function sendLabel(item: ItemRow, draft: Draft): string {
  if (!LABELED.has(item.kind)) return item.kind === "mail" ? "Send reply" : "Send answer";
  const choice = choicesOf(item).find((each) => each.number === draft.choice);
  return choice?.label ?? "Send answer";
}

/** Return `blocks 6 tasks, 2 agents`, or an empty string. */
export function describeBlocked(item: Pick<ItemRow, "holds_tasks" | "holds_agents">): string {
  const parts = [];
  if (item.holds_tasks > 0) parts.push(plural(item.holds_tasks, "task"));
  if (item.holds_agents > 0) parts.push(plural(item.holds_agents, "agent"));
  return parts.length > 0 ? `blocks ${parts.join(", ")}` : "";
}
