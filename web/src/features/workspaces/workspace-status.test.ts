import { expect, test } from "vitest";

import type { WorkspaceRecord } from "@/api/types";
import { stateOf } from "./workspace-status";

const space = (more: object) =>
  ({ status: "active", removed_at: null, kept_branch: null, state: { exists: true, ahead: 0, behind: 0, dirty: false }, ...more }) as WorkspaceRecord;

test("a workspace says whether it is there, committed, and how far from its base", () => {
  expect(stateOf(space({})).words).toBe("Clean");
  expect(stateOf(space({ state: { exists: true, ahead: 4, behind: 1, dirty: true } })).words).toBe("Not committed · 4 ahead, 1 behind");
  expect(stateOf(space({ state: { exists: false } })).words).toBe("Missing · its folder is gone");
  expect(stateOf(space({ state: null, host_id: "far" })).words).toBe("Not looked at · it lies on far");
  expect(stateOf(space({ removed_at: "2026-01-01", kept_branch: "kept/x" })).words).toBe("Removed · branch kept/x kept");
});
