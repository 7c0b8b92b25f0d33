// What an agent is told at the start of a task, in parts by their size.
import type { LoadedContext } from "@/api/types";

export interface Part {
  name: string;
  tokens: number;
}

const NAMES: [keyof LoadedContext, string][] = [
  ["current_task", "The task"],
  ["workflow", "The mission"],
  ["dependency_outcomes", "What it stands on"],
  ["prior_tasks", "Tasks before"],
  ["sibling_tasks", "Tasks beside"],
];

/** The parts with their share of the tokens, the largest first. The whole is counted by the server, a part by its length. */
export function partsOf(context: LoadedContext): Part[] {
  const sizes = NAMES.map(([key, name]) => ({ name, size: sizeOf(context[key]) })).filter((part) => part.size > 0);
  const all = sizes.reduce((sum, part) => sum + part.size, 0);
  return sizes
    .map(({ name, size }) => ({ name, tokens: Math.round((size / all) * context.token_estimate) }))
    .sort((one, other) => other.tokens - one.tokens);
}

function sizeOf(value: unknown): number {
  const text = JSON.stringify(value ?? null);
  return text === "null" || text === "[]" ? 0 : text.length;
}
