// The status of a workspace and its description.
import type { WorkspaceGlance, WorkspaceRecord } from "@/api/types";
import { plural } from "@/ui/format";
import type { Status } from "@/ui/status/status";

const STATUSES = {
  gone: { shape: "ring-slash", tone: "muted", word: "Removed" },
  missing: { shape: "ring-cross", tone: "danger", word: "Missing" },
  dirty: { shape: "half", tone: "progress", word: "Uncommitted" },
  clean: { shape: "ring", tone: "neutral", word: "Clean" },
  merged: { shape: "disc-check", tone: "success", word: "Merged" },
  unknown: { shape: "dotted", tone: "muted", word: "Unknown" },
  abandoned: { shape: "ring-slash", tone: "muted", word: "Abandoned" },
} as const satisfies Record<string, Status>;

export function workspaceStatus(workspace: WorkspaceRecord): { status: Status; words: string } {
  const { state } = workspace;
  if (workspace.removed_at !== null)
    return described(STATUSES.gone, workspace.kept_branch !== null ? `branch ${workspace.kept_branch} kept` : "");
  if (workspace.status === "merged") return described(STATUSES.merged, "");
  if (workspace.status === "abandoned") return described(STATUSES.abandoned, "");
  if (state == null) return described(STATUSES.unknown, `on ${workspace.host_id}`);
  if (!state.exists) return described(STATUSES.missing, "the folder was deleted");
  const parts = [];
  if (state.dirty) parts.push(plural(state.uncommitted.length, "file"));
  if (state.ahead != null && state.ahead > 0) parts.push(`${state.ahead} ahead`);
  if (state.behind != null && state.behind > 0) parts.push(`${state.behind} behind`);
  return described(state.dirty ? STATUSES.dirty : STATUSES.clean, parts.join(", "));
}

export interface WorkspaceGroup {
  missionId: string;
  name: string;
  workspaces: WorkspaceGlance[];
}

/** Return the workspaces by mission, each mission at the place of its newest workspace. */
export function byMission(workspaces: readonly WorkspaceGlance[]): WorkspaceGroup[] {
  const groups = new Map<string, WorkspaceGroup>();
  for (const each of workspaces) {
    const group = groups.get(each.workflow_id) ?? {
      missionId: each.workflow_id,
      name: each.mission_name,
      workspaces: [],
    };
    group.workspaces.push(each);
    groups.set(each.workflow_id, group);
  }
  return [...groups.values()];
}

/** Return who works in a workspace now: a task that has started and not ended, or null. */
export function workingIn(workspace: Pick<WorkspaceGlance, "tasks">): WorkspaceGlance["tasks"][number] | null {
  return workspace.tasks.find((task) => task.running) ?? null;
}

function described(status: Status, more: string): { status: Status; words: string } {
  return { status, words: [status.word, more].filter(Boolean).join(" · ") };
}
