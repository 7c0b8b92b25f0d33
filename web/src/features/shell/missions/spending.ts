// Sums up what the launched agents of a mission or a task used, as reported by their clients.
import type { ExecutionRecord } from "@/api/types";
import { amount } from "@/ui/format";

export interface Spending {
  tokens: number;
  cost: number;
  executions: number;
}

/** The most executions that are summed up. With more, no sum is shown rather than a wrong one. */
export const MAX_SUMMED = 500;

const number = (value: unknown) => (typeof value === "number" ? value : 0);

/** Return the sum; null if no client reports usage, or if these may not be all executions. */
export function totalSpending(executions: readonly Pick<ExecutionRecord, "usage">[] | undefined): Spending | null {
  if (executions === undefined || executions.length >= MAX_SUMMED) return null;
  const found = { tokens: 0, cost: 0, executions: executions.length };
  for (const { usage } of executions) {
    found.tokens += number(usage?.input_tokens) + number(usage?.output_tokens);
    found.cost += number(usage?.cost_usd);
  }
  return found.tokens > 0 || found.cost > 0 ? found : null;
}

/** `655k tokens · $3.12` */
export function describeSpending(spent: Spending): string {
  const parts = [
    spent.tokens > 0 ? `${amount(spent.tokens)} tokens` : "",
    spent.cost > 0 ? `$${spent.cost.toFixed(2)}` : "",
  ];
  return parts.filter(Boolean).join(" · ");
}
