import { expect, test } from "vitest";

import { runRow, runTask } from "@/testing/samples";
import { describeRun, isLiveRun, runStatus, stageStatus } from "./run-status";

test("a run that cannot start before an answer waits for you; one that works goes on", () => {
  expect(runStatus({ state: "ready" }, 1).word).toBe("Waits for you");
  expect(runStatus({ state: "ready" }, 0).word).toBe("Ready");
  expect(runStatus({ state: "running" }, 3).word).toBe("Running");
  expect([isLiveRun({ state: "finishing" }), isLiveRun({ state: "finished" })]).toEqual([true, false]);
});

test("merged is solid only if proved or accepted", () => {
  const shapes = ["proved", "accepted", "unproved", null].map(
    (proof_state) => stageStatus(runTask({ stage: "merged", proof_state })).shape,
  );

  expect(shapes).toEqual(["disc-check", "disc-person", "dashed-check", "dashed-check"]);
});

test("a run is summed up in a line", () => {
  expect(describeRun(runRow({ questions: 1 }))).toBe("1 of 4 tasks merged · 1 open question");
});
