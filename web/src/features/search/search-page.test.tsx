import { expect, test } from "vitest";

import type { SearchResult } from "@/api/types";
import { namesFirst } from "./search-page";

const result = (kind: string, id: string, title: string) => ({ kind, id, title }) as SearchResult;
const milestone = result("journal", "mil_1", "src/ledger/bank.py written");
const mission = result("workflow", "m_1", "Double-entry Ledger");
const task = result("task", "t_1", "Ledger tables");
const other = result("task", "t_2", "Write docs");

test("a mission by that name comes before tasks, and both before mentions", () => {
  const found = namesFirst("ledger", [task, mission, other], [milestone, other, mission, task]);
  expect(found.map((each) => each.id)).toEqual(["m_1", "t_1", "mil_1", "t_2"]);
});

test("a name counts only if it has every word", () => {
  expect(namesFirst("ledger tables", [mission, task], [milestone]).map((each) => each.id)).toEqual(["t_1", "mil_1"]);
});
