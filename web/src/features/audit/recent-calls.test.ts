import { expect, test } from "vitest";

import type { AuditEntry } from "@/api/types";
import { newerThan, runsOf, took } from "./recent-calls";

const entry = (id: string, tool = "a") => ({ id, tool, caller: "ada", transport: "mcp", status: "ok", arguments: {} }) as AuditEntry;

test("a call says how long it took", () => {
  expect(took({ at: "2026-01-01T00:00:00.000Z", finished_at: "2026-01-01T00:00:00.012Z" })).toBe("12 ms");
  expect(took({ at: "2026-01-01T00:00:00.000Z", finished_at: "2026-01-01T00:00:01.500Z" })).toBe("1.5 s");
});

test("the same call again and again stands once, with its number", () => {
  const runs = runsOf([entry("3"), entry("2"), entry("1", "b"), entry("0")]);
  expect(runs.map((run) => [run.newest.id, run.count])).toEqual([["3", 2], ["1", 1], ["0", 1]]);
});

test("what came since the list was held is counted", () => {
  const held = [entry("1"), entry("0")];
  expect(newerThan(held, [entry("3"), entry("2"), ...held])).toBe(2);
  expect(newerThan(held, held)).toBe(0);
  expect(newerThan(held, [entry("9"), entry("8")])).toBe(2);
});
