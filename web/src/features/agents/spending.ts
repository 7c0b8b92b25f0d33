// What agents used, summed over their executions.
import type { ExecutionRecord } from "@/api/types";

export interface Spent {
  tokens: number;
  cost: number;
  executions: number;
}

const number = (value: unknown) => (typeof value === "number" ? value : 0);

export function spentByAgent(executions: readonly ExecutionRecord[]): Map<string, Spent> {
  const found = new Map<string, Spent>();
  for (const { agent_id, usage } of executions) {
    const before = found.get(agent_id) ?? { tokens: 0, cost: 0, executions: 0 };
    found.set(agent_id, {
      tokens: before.tokens + number(usage?.["input_tokens"]) + number(usage?.["output_tokens"]),
      cost: before.cost + number(usage?.["cost_usd"]),
      executions: before.executions + 1,
    });
  }
  return found;
}
