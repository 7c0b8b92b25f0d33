// The status of a workspace and its description.
import type { WorkspaceRecord } from "@/api/types";
import type { Status } from "@/ui/status/status";

const STATUSES = {
  gone: { shape: "ring-slash", tone: "muted", word: "Removed" },
  missing: { shape: "ring-cross", tone: "danger", word: "Missing" },
  dirty: { shape: "half", tone: "progress", word: "Uncommitted changes" },
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
  if (state.ahead != null && state.ahead > 0) parts.push(`${state.ahead} ahead`);
  if (state.behind != null && state.behind > 0) parts.push(`${state.behind} behind`);
  return described(state.dirty ? STATUSES.dirty : STATUSES.clean, parts.join(", "));
}

function described(status: Status, more: string): { status: Status; words: string } {
  return { status, words: [status.word, more].filter(Boolean).join(" · ") };
}
