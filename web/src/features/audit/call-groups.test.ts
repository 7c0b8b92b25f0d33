import { expect, test } from "vitest";

import type { AuditEntry } from "@/api/types";
import { duration, groupCalls, newerThan } from "./call-groups";

const entry = (id: string, tool = "a") =>
  ({ id, tool, caller: "ada", transport: "mcp", status: "ok", arguments: {} }) as AuditEntry;

test("a call shows how long it took", () => {
  expect(duration({ at: "2026-01-01T00:00:00.000Z", finished_at: "2026-01-01T00:00:00.012Z" })).toBe("12 ms");
  expect(duration({ at: "2026-01-01T00:00:00.000Z", finished_at: "2026-01-01T00:00:01.500Z" })).toBe("1.5 s");
});

test("repeated calls are shown once, with their count", () => {
  const runs = groupCalls([entry("3"), entry("2"), entry("1", "b"), entry("0")]);
  expect(runs.map((run) => [run.newest.id, run.count])).toEqual([
    ["3", 2],
    ["1", 1],
    ["0", 1],
  ]);
});

test("entries newer than the ones shown are counted", () => {
  const held = [entry("1"), entry("0")];
  expect(newerThan(held, [entry("3"), entry("2"), ...held])).toBe(2);
  expect(newerThan(held, held)).toBe(0);
  expect(newerThan(held, [entry("9"), entry("8")])).toBe(2);
});
