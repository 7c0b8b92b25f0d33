// How a workspace stands, in a glyph and words.
import type { WorkspaceRecord } from "@/api/types";
import type { Status } from "@/ui/status/status";

const LOOKS = {
  gone: { shape: "ring-slash", tone: "muted", word: "Removed" },
  missing: { shape: "ring-cross", tone: "danger", word: "Missing" },
  dirty: { shape: "half", tone: "progress", word: "Not committed" },
  clean: { shape: "ring", tone: "neutral", word: "Clean" },
  merged: { shape: "disc-check", tone: "success", word: "Merged" },
  unknown: { shape: "dotted", tone: "muted", word: "Not looked at" },
  abandoned: { shape: "ring-slash", tone: "muted", word: "Abandoned" },
} as const satisfies Record<string, Status>;

export function stateOf(workspace: WorkspaceRecord): { status: Status; words: string } {
  const { state } = workspace;
  if (workspace.removed_at !== null) return told(LOOKS.gone, workspace.kept_branch !== null ? `branch ${workspace.kept_branch} kept` : "");
  if (workspace.status === "merged") return told(LOOKS.merged, "");
  if (workspace.status === "abandoned") return told(LOOKS.abandoned, "");
  if (state == null) return told(LOOKS.unknown, `it lies on ${workspace.host_id}`);
  if (!state.exists) return told(LOOKS.missing, "its folder is gone");
  const parts = [];
  if (state.ahead != null && state.ahead > 0) parts.push(`${state.ahead} ahead`);
  if (state.behind != null && state.behind > 0) parts.push(`${state.behind} behind`);
  return told(state.dirty ? LOOKS.dirty : LOOKS.clean, parts.join(", "));
}

function told(status: Status, more: string): { status: Status; words: string } {
  return { status, words: [status.word, more].filter(Boolean).join(" · ") };
}
