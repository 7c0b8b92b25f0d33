import { expect, test } from "vitest";

import type { WorkspaceGlance, WorkspaceRecord } from "@/api/types";
import { byMission, workingIn, workspaceStatus } from "./workspace-status";

const space = (more: object) =>
  ({
    status: "active",
    removed_at: null,
    kept_branch: null,
    state: { exists: true, ahead: 0, behind: 0, dirty: false, uncommitted: [] },
    ...more,
  }) as unknown as WorkspaceRecord;

test("a workspace shows whether it exists, is committed, and how far it is from its base", () => {
  expect(workspaceStatus(space({})).words).toBe("Clean");
  expect(
    workspaceStatus(space({ state: { exists: true, ahead: 4, behind: 1, dirty: true, uncommitted: ["a", "b"] } }))
      .words,
  ).toBe("Uncommitted · 2 files, 4 ahead, 1 behind");
  expect(workspaceStatus(space({ state: { exists: false } })).words).toBe("Missing · the folder was deleted");
  expect(workspaceStatus(space({ state: null, host_id: "far" })).words).toBe("Unknown · on far");
  expect(workspaceStatus(space({ removed_at: "2026-01-01", kept_branch: "kept/x" })).words).toBe(
    "Removed · branch kept/x kept",
  );
});

test("workspaces are grouped by mission, and a running task shows that somebody works there", () => {
  const row = (id: string, workflow_id: string, running: boolean) =>
    ({
      id,
      workflow_id,
      mission_name: `Mission ${workflow_id}`,
      tasks: [{ id: `t_${id}`, running }],
    }) as WorkspaceGlance;
  const groups = byMission([row("w_3", "m_1", true), row("w_2", "m_2", false), row("w_1", "m_1", false)]);

  expect(groups.map((group) => [group.name, group.workspaces.map((each) => each.id)])).toEqual([
    ["Mission m_1", ["w_3", "w_1"]],
    ["Mission m_2", ["w_2"]],
  ]);
  expect(groups[0]!.workspaces.map((each) => workingIn(each)?.id)).toEqual(["t_w_3", undefined]);
});
