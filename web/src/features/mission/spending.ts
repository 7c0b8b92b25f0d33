// What the launched agents of a mission or a task used, as far as they told.
import type { ExecutionRecord } from "@/api/types";
import { amount } from "@/ui/format";

export interface Spent {
  tokens: number;
  cost: number;
  executions: number;
}

/** The most executions that are read to sum up; with more of them nothing is said rather than too little. */
export const MOST_SUMMED = 500;

const number = (value: unknown) => (typeof value === "number" ? value : 0);

/** What all of them used; nothing when none tells, or when these may not be all. */
export function spentInAll(executions: readonly Pick<ExecutionRecord, "usage">[] | undefined): Spent | null {
  if (executions === undefined || executions.length >= MOST_SUMMED) return null;
  const found = { tokens: 0, cost: 0, executions: executions.length };
  for (const { usage } of executions) {
    found.tokens += number(usage?.["input_tokens"]) + number(usage?.["output_tokens"]);
    found.cost += number(usage?.["cost_usd"]);
  }
  return found.tokens > 0 || found.cost > 0 ? found : null;
}

/** `655k tokens · $3.12` */
export function spentWords(spent: Spent): string {
  const parts = [spent.tokens > 0 ? `${amount(spent.tokens)} tokens` : "", spent.cost > 0 ? `$${spent.cost.toFixed(2)}` : ""];
  return parts.filter(Boolean).join(" · ");
}
