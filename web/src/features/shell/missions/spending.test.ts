import { expect, test } from "vitest";

import { describeSpending, MAX_SUMMED, totalSpending } from "./spending";

test("a sum is shown only if it is complete", () => {
  const run = { usage: { input_tokens: 600_000, output_tokens: 55_000, cost_usd: 3.12 } };

  expect(describeSpending(totalSpending([run, { usage: null }])!)).toBe("655k tokens · $3.12");
  expect(totalSpending(Array.from({ length: MAX_SUMMED }, () => run))).toBeNull();
  expect(totalSpending([{ usage: null }])).toBeNull();
});
