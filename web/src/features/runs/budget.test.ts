import { expect, test } from "vitest";

import { run } from "@/testing/samples";
import { describeShare, shareOf } from "./budget";

const spent = { usd: 4, tokens: null, minutes: 30, launches: 9 };
const budget = { usd: 20, tokens: 1_000, minutes: null, launches: 9, per_task: {} };

test("a share is known only if both the limit and the spending are", () => {
  const shown = run({ spent, budget });

  expect((["usd", "tokens", "minutes", "launches"] as const).map((of) => shareOf(shown, of))).toEqual([
    0.2,
    null,
    null,
    1,
  ]);
});

test("unknown spending is called unknown, and a reached limit reached", () => {
  const shown = run({ spent, budget });

  expect((["usd", "tokens", "minutes", "launches"] as const).map((of) => describeShare(shown, of))).toEqual([
    "20% spent",
    "not reported by every client, so the limit cannot be enforced",
    "no limit",
    "limit reached",
  ]);
});
