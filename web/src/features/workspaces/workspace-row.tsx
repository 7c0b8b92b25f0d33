// One workspace on one line, with its actions; path, uncommitted files and removal are one click away.
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";

import { type ApiError, call } from "@/api/call-tool";
import type { WorkspaceGlance, WorkspaceSize } from "@/api/types";
import { useOnline } from "@/live/live-connection";
import { CopyableId } from "@/ui/basics";
import { ConfirmButton, ErrorMessage } from "@/ui/form";
import { bytes, span } from "@/ui/format";
import { useNow } from "@/ui/hooks/use-server-clock";
import { Icon } from "@/ui/icons";
import { statusFor, TASK } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";
import { MergeButton, OpenButton } from "./workspace-dialogs";
import { workingIn, workspaceStatus } from "./workspace-status";

const NAMED_FILES = 50;

interface RowProps {
  workspace: WorkspaceGlance;
  size: WorkspaceSize | undefined;
  changed: () => void;
}

export function WorkspaceRow({ workspace, size, changed }: RowProps) {
  const now = useNow();
  const [open, setOpen] = useState(false);
  const { status, words } = workspaceStatus(workspace);
  const task = workingIn(workspace) ?? workspace.tasks[0];
  const gone = workspace.removed_at !== null;
  return (
    <li className="space">
      <StatusIcon status={status} />
      <div className="words">
        {task === undefined ? <span className="quiet">no task</span> : <TaskName workspace={workspace} task={task} />}
      </div>
      <code className="branch" title={workspace.branch}>
        {workspace.branch}
      </code>
      <span className="quiet state">{words}</span>
      <span className="meta age" title={workspace.created_at}>
        {span((now - Date.parse(workspace.created_at)) / 1_000)}
      </span>
      <span className="meta size">{size === undefined ? "" : `${size.whole ? "" : "> "}${bytes(size.bytes)}`}</span>
      <div className="actions">
        {!gone && <OpenButton workspace={workspace} />}
        {task !== undefined && (
          <Link className="button small" to={`/tasks/${task.id}#changes`}>
            Diff
          </Link>
        )}
        {!gone && workspace.status !== "merged" && <MergeButton workspace={workspace} changed={changed} />}
        <button
          type="button"
          className="button small"
          aria-expanded={open}
          aria-label={`More about ${workspace.branch}`}
          onClick={() => setOpen(!open)}
        >
          <Icon name="more" size={14} />
        </button>
      </div>
      {open && <More workspace={workspace} changed={changed} />}
    </li>
  );
}

function TaskName({ workspace, task }: { workspace: WorkspaceGlance; task: WorkspaceGlance["tasks"][number] }) {
  return (
    <>
      <Link className="task-link" to={`/tasks/${task.id}`}>
        {task.name}
      </Link>
      {workspace.tasks.length > 1 && <span className="meta"> +{workspace.tasks.length - 1}</span>}
      <div className="meta cut">
        {statusFor(TASK, task.state).word}
        {task.agent !== null && ` · ${task.agent}`}
      </div>
    </>
  );
}

function More({ workspace, changed }: { workspace: WorkspaceGlance; changed: () => void }) {
  const online = useOnline();
  const remove = useRemoval(workspace);
  const busy = workingIn(workspace);
  const files = workspace.state?.uncommitted ?? [];
  return (
    <div className="space-more">
      <p className="meta">
        <CopyableId id={workspace.path} what="path" />
        {workspace.base_branch !== null && ` from ${workspace.base_branch}`}
      </p>
      {files.length > 0 && (
        <ul className="meta">
          {files.slice(0, NAMED_FILES).map((path) => (
            <li key={path}>
              <code>{path}</code>
            </li>
          ))}
          {files.length > NAMED_FILES && <li>and {files.length - NAMED_FILES} more</li>}
        </ul>
      )}
      {workspace.removed_at === null &&
        (busy !== null ? (
          <p className="quiet">It cannot be removed while its task is open: {busy.name}.</p>
        ) : (
          <ConfirmButton
            small
            word="Remove"
            again="Save work and remove"
            title="Commits stay on their branch; uncommitted changes are saved on a new branch"
            off={!online || remove.isPending}
            act={() => remove.mutate(undefined, { onSuccess: changed })}
          />
        ))}
      <ErrorMessage error={remove.error} />
    </div>
  );
}

/** Remove a workspace and save its work. An active one is abandoned first, and active again if it cannot be removed. */
function useRemoval(workspace: WorkspaceGlance) {
  const { id, status } = workspace;
  return useMutation<unknown, ApiError>({
    mutationFn: async () => {
      if (status === "active") await call("workspace_update", { id, status: "abandoned" });
      try {
        await call("workspace_remove", { id, save: true });
      } catch (error) {
        if (status === "active") await call("workspace_update", { id, status: "active" });
        throw error;
      }
    },
  });
}
