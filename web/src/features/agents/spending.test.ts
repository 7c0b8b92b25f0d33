import { expect, test } from "vitest";

import type { ExecutionRecord } from "@/api/types";
import { spentByAgent } from "./spending";

test("what an agent used is summed over its executions, also when some tell nothing", () => {
  const run = (agent_id: string, usage: ExecutionRecord["usage"]) => ({ agent_id, usage }) as ExecutionRecord;
  const spent = spentByAgent([run("a", { input_tokens: 10, output_tokens: 5, cost_usd: 0.5 }), run("a", null), run("b", { cost_usd: 1 })]);
  expect(spent.get("a")).toEqual({ tokens: 15, cost: 0.5, executions: 2 });
  expect(spent.get("b")).toEqual({ tokens: 0, cost: 1, executions: 1 });
});
