import { expect, test } from "vitest";

import { costOf, heard, statusOf, tokensOf } from "./look";

test("an exit code stands in the word of a failed execution", () => {
  expect(statusOf({ status: "failed", exit_code: 3 }).word).toBe("Exited 3");
  expect(statusOf({ status: "failed", exit_code: null }).word).toBe("Failed");
  expect(statusOf({ status: "completed", exit_code: 0 }).word).toBe("Exited 0");
});

test("tokens and cost are told only where the client told them", () => {
  expect(tokensOf({ usage: { input_tokens: 600_000, output_tokens: 55_000 } })).toBe("655k tokens");
  expect(costOf({ usage: { cost_usd: 3.124 } })).toBe("$3.12");
  expect([tokensOf({ usage: null }), costOf({ usage: {} })]).toEqual(["", ""]);
});

test("silence begins after 90 seconds, and one that waits is not silent", () => {
  const at = (status: "running" | "waiting") => ({ status, exit_code: null, usage: null, updated_at: "2026-01-01T00:00:00Z", ended_at: null });
  const start = Date.parse("2026-01-01T00:00:00Z");
  expect(heard(at("running"), null, start + 4_000)).toEqual({ words: "4 s ago", silent: false });
  expect(heard(at("running"), null, start + 94_000)).toEqual({ words: "silent 2 min", silent: true });
  expect(heard(at("waiting"), null, start + 240_000)).toEqual({ words: "waits 4 min", silent: false });
});
