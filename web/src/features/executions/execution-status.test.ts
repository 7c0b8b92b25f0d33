import { expect, test } from "vitest";

import { costOf, heard, isSilent, stateOf, statusOf, tokensOf } from "./execution-status";

test("an exit code stands in the word of a failed execution", () => {
  expect(statusOf({ status: "failed", exit_code: 3 }).word).toBe("Exited 3");
  expect(statusOf({ status: "failed", exit_code: null }).word).toBe("Failed");
  expect(statusOf({ status: "completed", exit_code: 0 }).word).toBe("Exited 0");
  expect(stateOf({ status: "running", exit_code: null, task_state: "blocked" }).word).toBe("Blocked");
  expect(stateOf({ status: "lost", exit_code: null, task_state: "blocked" }).word).toBe("Lost");
});

test("tokens and cost are told only where the client told them", () => {
  expect(tokensOf({ usage: { input_tokens: 600_000, output_tokens: 55_000 } })).toBe("655k tokens");
  expect(costOf({ usage: { cost_usd: 3.124 } })).toBe("$3.12");
  expect([tokensOf({ usage: null }), costOf({ usage: {} })]).toEqual(["", ""]);
});

test("silence begins 90 seconds after the last output, and one that waits is not silent", () => {
  const begun = "2026-01-01T00:00:00Z";
  const at = (status: "running" | "waiting", shown_at: string | null = begun) =>
    ({ status, task_state: "working", shown_at, started_at: begun, created_at: begun, updated_at: begun, ended_at: null }) as const;
  const start = Date.parse(begun);
  expect(heard(at("running"), null, start + 4_000)).toEqual({ words: "4 s ago", urgent: false });
  expect(heard(at("running"), null, start + 94_000)).toEqual({ words: "silent 1 min 34 s", urgent: true });
  expect(heard(at("running"), start + 90_000, start + 94_000)).toEqual({ words: "4 s ago", urgent: false });
  expect(heard(at("waiting"), null, start + 240_000)).toEqual({ words: "waits 4 min", urgent: true });
  expect([isSilent(at("running"), null, start + 94_000), isSilent(at("waiting"), null, start + 94_000)]).toEqual([true, false]);
});
