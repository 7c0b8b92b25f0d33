import { expect, test } from "vitest";

import type { WorkspaceRecord } from "@/api/types";
import { workspaceStatus } from "./workspace-status";

const space = (more: object) =>
  ({
    status: "active",
    removed_at: null,
    kept_branch: null,
    state: { exists: true, ahead: 0, behind: 0, dirty: false },
    ...more,
  }) as WorkspaceRecord;

test("a workspace shows whether it exists, is committed, and how far it is from its base", () => {
  expect(workspaceStatus(space({})).words).toBe("Clean");
  expect(workspaceStatus(space({ state: { exists: true, ahead: 4, behind: 1, dirty: true } })).words).toBe(
    "Uncommitted changes · 4 ahead, 1 behind",
  );
  expect(workspaceStatus(space({ state: { exists: false } })).words).toBe("Missing · the folder was deleted");
  expect(workspaceStatus(space({ state: null, host_id: "far" })).words).toBe("Unknown · on far");
  expect(workspaceStatus(space({ removed_at: "2026-01-01", kept_branch: "kept/x" })).words).toBe(
    "Removed · branch kept/x kept",
  );
});
