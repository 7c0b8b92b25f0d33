import { expect, test } from "vitest";

import type { MissionGlance } from "@/api/types";
import { describeLeft, describeSpent, folderName, withHeadings } from "./mission-rows";

const mission = (id: string, group: string) => ({ id, group }) as MissionGlance;

test("each group of missions has one heading", () => {
  const rows = withHeadings([mission("m_1", "needs_you"), mission("m_2", "running"), mission("m_3", "running")]);
  expect(rows.map((row) => ("heading" in row ? row.heading : row.id))).toEqual([
    "Needs you",
    "m_1",
    "Running",
    "m_2",
    "m_3",
  ]);
});

test("a single group needs no heading", () => {
  expect(withHeadings([mission("m_1", "rest")]).map((row) => row.id)).toEqual(["m_1"]);
});

test("a cost is unknown if nobody reported it, and empty if nobody worked", () => {
  expect(describeSpent({ usd: null, unknown: 2 })).toBe("unknown");
  expect(describeSpent({ usd: null, unknown: 0 })).toBe("");
  expect(describeSpent({ usd: 1.5, unknown: 1 })).toBe("≥ $1.50");
});

test("the time left is a range, and nothing where it is not known", () => {
  expect(describeLeft([1_200, 2_400])).toBe("20 min to 40 min");
  expect(describeLeft([1_200, 1_200])).toBe("about 20 min");
  expect(describeLeft(null)).toBe("");
});

test("a repository is called by its folder", () => {
  expect(folderName("/code/shop/")).toBe("shop");
  expect(folderName(null)).toBe("");
});
