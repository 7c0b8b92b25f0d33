import { expect, test } from "vitest";

import type { LoadedContext } from "@/api/types";
import { partsOf } from "./context-parts";

test("the parts of a context share its tokens by their size, the largest first, without empty ones", () => {
  const context = {
    current_task: { name: "x".repeat(300) },
    workflow: { name: "y".repeat(90) },
    prior_tasks: [],
    sibling_tasks: null,
    token_estimate: 1000,
  } as unknown as LoadedContext;
  const parts = partsOf(context);
  expect(parts.map((part) => part.name)).toEqual(["The task", "The mission"]);
  expect(parts.reduce((sum, part) => sum + part.tokens, 0)).toBe(1000);
});
