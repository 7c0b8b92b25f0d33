import { expect, test } from "vitest";

import { costOf, executionStatus, isSilent, lastActivity, shownStatus, tokensOf } from "./execution-status";

test("the status of a failed execution includes its exit code", () => {
  expect(executionStatus({ status: "failed", exit_code: 3 }).word).toBe("Exited 3");
  expect(executionStatus({ status: "failed", exit_code: null }).word).toBe("Failed");
  expect(executionStatus({ status: "completed", exit_code: 0 }).word).toBe("Exited 0");
  expect(shownStatus({ status: "running", exit_code: null, task_state: "blocked" }).word).toBe("Blocked");
  expect(shownStatus({ status: "lost", exit_code: null, task_state: "blocked" }).word).toBe("Lost");
});

test("tokens and cost are shown only if the client reports them", () => {
  expect(tokensOf({ usage: { input_tokens: 600_000, output_tokens: 55_000 } })).toBe("655k tokens");
  expect(costOf({ usage: { cost_usd: 3.124 } })).toBe("$3.12");
  expect([tokensOf({ usage: null }), costOf({ usage: {} })]).toEqual(["", ""]);
});

test("an execution is silent 90 seconds after its last output, unless it waits", () => {
  const started = "2026-01-01T00:00:00Z";
  const at = (status: "running" | "waiting", shown_at: string | null = started) =>
    ({
      status,
      task_state: "working",
      shown_at,
      started_at: started,
      created_at: started,
      updated_at: started,
      ended_at: null,
    }) as const;
  const start = Date.parse(started);
  expect(lastActivity(at("running"), null, start + 4_000)).toEqual({ words: "4 s ago", urgent: false });
  expect(lastActivity(at("running"), null, start + 94_000)).toEqual({ words: "silent 1 min 34 s", urgent: true });
  expect(lastActivity(at("running"), start + 90_000, start + 94_000)).toEqual({ words: "4 s ago", urgent: false });
  expect(lastActivity(at("waiting"), null, start + 240_000)).toEqual({ words: "waiting 4 min", urgent: true });
  expect([isSilent(at("running"), null, start + 94_000), isSilent(at("waiting"), null, start + 94_000)]).toEqual([
    true,
    false,
  ]);
});
