import { expect, test } from "vitest";

import { MOST_SUMMED, spentInAll, spentWords } from "./spending";

test("a sum is told only when it is whole", () => {
  const run = { usage: { input_tokens: 600_000, output_tokens: 55_000, cost_usd: 3.12 } };

  expect(spentWords(spentInAll([run, { usage: null }])!)).toBe("655k tokens · $3.12");
  expect(spentInAll(Array.from({ length: MOST_SUMMED }, () => run))).toBeNull();
  expect(spentInAll([{ usage: null }])).toBeNull();
});
