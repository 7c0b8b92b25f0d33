import { expect, test } from "vitest";

import type { LoadedContext } from "@/api/types";
import { contextParts } from "./context-parts";

test("parts share the token count by size, the largest first, without empty ones", () => {
  const context = {
    current_task: { name: "x".repeat(300) },
    workflow: { name: "y".repeat(90) },
    prior_tasks: [],
    sibling_tasks: null,
    token_estimate: 1000,
  } as unknown as LoadedContext;
  const parts = contextParts(context);
  expect(parts.map((part) => part.name)).toEqual(["The task", "The mission"]);
  expect(parts.reduce((sum, part) => sum + part.tokens, 0)).toBe(1000);
});
