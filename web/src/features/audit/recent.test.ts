import { expect, test } from "vitest";

import type { AuditEntry } from "@/api/types";
import { isOwn, runsOf, took } from "./recent";

test("a call says how long it took, and whether the page made it", () => {
  expect(took({ at: "2026-01-01T00:00:00.000Z", finished_at: "2026-01-01T00:00:00.012Z" })).toBe("12 ms");
  expect(took({ at: "2026-01-01T00:00:00.000Z", finished_at: "2026-01-01T00:00:01.500Z" })).toBe("1.5 s");
  expect([isOwn({ transport: "page" }), isOwn({ transport: "mcp" })]).toEqual([true, false]);
});

test("the same call again and again stands once, with its number", () => {
  const entry = (id: string, tool: string) => ({ id, tool, caller: "ada", transport: "mcp", status: "ok", arguments: {} }) as AuditEntry;
  const runs = runsOf([entry("3", "a"), entry("2", "a"), entry("1", "b"), entry("0", "a")]);
  expect(runs.map((run) => [run.newest.id, run.count])).toEqual([["3", 2], ["1", 1], ["0", 1]]);
});
