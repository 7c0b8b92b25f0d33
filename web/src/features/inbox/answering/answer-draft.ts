// An answer in the making: one of the numbered choices, words, or both.
import type { AnswerItem, ItemRow } from "@/api/types";
import { plural } from "@/ui/format";

export interface Choice {
  number: number;
  label: string;
  /** Words below the label, where they say more than it. */
  more: string | null;
  /** Whether it is complete by itself; else it asks for words. */
  fixed: boolean;
  placeholder: string;
  preferred: boolean;
}

export interface Draft {
  choice: number | null;
  text: string;
}

export const BLANK: Draft = { choice: null, text: "" };

/** The choices of an item as a person sees them. */
export function choicesOf(item: Pick<ItemRow, "choices">): Choice[] {
  return item.choices.map((choice, index) => {
    const label = String(choice["label"] ?? choice["value"] ?? `Choice ${index + 1}`);
    const value = String(choice["description"] ?? choice["value"] ?? "");
    const fixed = choice["kind"] !== "manual";
    return {
      number: index + 1,
      label,
      more: fixed && value !== "" && value.toLowerCase() !== label.toLowerCase() ? value : null,
      fixed,
      placeholder: String(choice["placeholder"] ?? "write an answer"),
      preferred: choice["preferred"] === true || choice["recommended"] === true,
    };
  });
}

/** The choice of a draft and its words; where words are a choice of their own, none go with another one. */
function partsOf(item: Pick<ItemRow, "choices">, draft: Draft): { choice: Choice | undefined; text: string } {
  const choices = choicesOf(item);
  const choice = choices.find((each) => each.number === draft.choice);
  return { choice, text: choice?.fixed && choices.some((each) => !each.fixed) ? "" : draft.text.trim() };
}

/** What is sent for a draft; nothing as long as it would say nothing. */
export function answerOf(item: ItemRow, draft: Draft): AnswerItem | null {
  const { choice, text } = partsOf(item, draft);
  if (choice?.fixed) return { id: item.id, choice: choice.number, ...(text !== "" ? { text } : {}) };
  if (text === "") return null;
  return { id: item.id, text, ...(choice !== undefined ? { choice: choice.number } : {}) };
}

/** A draft in a few words, as the line says it that stands for it. */
export function answerWords(item: Pick<ItemRow, "choices">, draft: Draft): string {
  const { choice, text } = partsOf(item, draft);
  return [choice?.fixed ? choice.label : "", text].filter(Boolean).join(": ");
}

/** What the button that sends the draft says. */
export function sendWord(item: ItemRow, draft: Draft): string {
  if (item.kind !== "review" && item.kind !== "failure") return item.kind === "mail" ? "Send reply" : "Send answer";
  const choice = choicesOf(item).find((each) => each.number === draft.choice);
  return choice?.label ?? "Send answer";
}

/** `holds 6 tasks, 2 agents` */
export function holdsWords(item: Pick<ItemRow, "holds_tasks" | "holds_agents">): string {
  const parts = [];
  if (item.holds_tasks > 0) parts.push(plural(item.holds_tasks, "task"));
  if (item.holds_agents > 0) parts.push(plural(item.holds_agents, "agent"));
  return parts.length > 0 ? `holds ${parts.join(", ")}` : "";
}
