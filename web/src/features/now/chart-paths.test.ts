import { expect, test } from "vitest";

import { areaOf, lineOf, ticksOf } from "./chart-paths";

test("a line goes through each value, and its area is closed along the bottom", () => {
  expect(lineOf([0, 2, 1], 2, 100, 40)).toBe("M0 40L50 0L100 20");
  expect(areaOf([0, 2], 4, 10, 8)).toBe("M0 8L10 4L10 8L0 8Z");
});

test("the hours below are round and at most five for any time range", () => {
  const from = new Date(2026, 0, 5, 22, 40).getTime();

  const hours = ticksOf(from, from + 9 * 3_600_000).map(({ at }) => new Date(at).getHours());
  expect(hours).toEqual([0, 2, 4, 6]);
  expect(ticksOf(from, from + 7 * 24 * 3_600_000).length).toBeLessThanOrEqual(5);
  expect(ticksOf(from, from + 60_000)).toEqual([]);
});
