import { expect, test } from "vitest";

import { amount, bytes, clockTime, count, countdown, exactSpan, span } from "./format";

test("durations, counts and amounts are formatted as people write them", () => {
  expect([5, 59, 61, 38 * 60, 104 * 60, 120 * 60, 3 * 86_400 + 4 * 3_600].map((each) => span(each))).toEqual([
    "5 s",
    "59 s",
    "1 min",
    "38 min",
    "1 h 44 min",
    "2 h",
    "3 d 4 h",
  ]);
  expect(span(104 * 60, { short: true })).toBe("1 h 44");
  expect([countdown(118), countdown(26), countdown(-3)]).toEqual(["1:58", "0:26", "0:00"]);
  expect([count(999), count(48_291)]).toEqual(["999", "48 291"]);
  expect([amount(940), amount(412_000), amount(31_600_000)]).toEqual(["940", "412k", "31.6M"]);
});

test("a time includes the day unless it is today", () => {
  const now = new Date(2026, 9, 14, 7, 42).getTime();

  expect(clockTime(new Date(2026, 9, 14, 6, 4).toISOString(), now)).toBe("06:04");
  expect(clockTime(new Date(2026, 9, 13, 23, 18).toISOString(), now)).toBe("Tue 23:18");
  expect(clockTime(new Date(2026, 8, 1, 8, 0).toISOString(), now)).toBe("1 Sep");
});

test("exact durations include seconds, and sizes use the unit that fits", () => {
  expect([34, 94, 3_700].map(exactSpan)).toEqual(["34 s", "1 min 34 s", "1 h 02 min"]);
  expect([0, 999, 3_400_000, 128_000_000_000].map(bytes)).toEqual(["0 B", "999 B", "3.4 MB", "128 GB"]);
});
