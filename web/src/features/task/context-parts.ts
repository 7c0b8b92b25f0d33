// The parts of the context that an agent gets for a task, by size.
import type { LoadedContext } from "@/api/types";

export interface Part {
  name: string;
  tokens: number;
}

const NAMES: [keyof LoadedContext, string][] = [
  ["current_task", "The task"],
  ["workflow", "The mission"],
  ["dependency_outcomes", "Results of dependencies"],
  ["prior_tasks", "Earlier tasks"],
  ["sibling_tasks", "Parallel tasks"],
];

/** Return the parts with their token counts, the largest first. The server counts the total; parts share it by length. */
export function contextParts(context: LoadedContext): Part[] {
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
