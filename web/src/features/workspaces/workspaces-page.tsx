// The workspaces: branch, commits ahead and behind, uncommitted files.
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useSearchParams } from "react-router";

import { type ApiError, call } from "@/api/call-tool";
import type { WorkspaceRecord } from "@/api/types";
import { useTool } from "@/api/use-tool";
import { useRowKeys } from "@/features/shell/keyboard/row-shortcuts";
import { useOnline } from "@/live/live-connection";
import { Card, CopyableId, Segmented, ShowOlderButton, Time } from "@/ui/basics";
import { ConfirmButton, ErrorMessage } from "@/ui/form";
import { plural } from "@/ui/format";
import { Empty, Loaded } from "@/ui/query-states";
import { StatusIcon } from "@/ui/status/status-icon";
import { workspaceStatus } from "./workspace-status";
import "./workspaces.css";

const PAGE = 50;
const MAX = 200;

export function WorkspacesPage() {
  const [address, setAddress] = useSearchParams();
  const show = address.get("show") ?? "present";
  const [limit, setLimit] = useState(PAGE);
  const spaces = useTool(
    "workspace_list",
    { include_state: true, include_removed: show === "all", limit },
    { keep: true },
  );
  useRowKeys(".spaces .id");
  return (
    <div className="page workspaces">
      <title>Workspaces · Mission Control</title>
      <div className="page-head">
        <h1>Workspaces</h1>
        <span className="quiet">
          a worktree for each parallel task
          {spaces.data !== undefined && (
            <>
              , checked at <Time at={new Date(spaces.dataUpdatedAt).toISOString()} />
            </>
          )}
        </span>
        <div className="actions">
          <button type="button" className="button" onClick={() => void spaces.refetch()} disabled={spaces.isFetching}>
            Refresh
          </button>
          <Segmented
            label="Filter workspaces"
            value={show}
            choose={(value) => setAddress(value === "present" ? {} : { show: value }, { replace: true })}
            options={[
              ["present", "Existing"],
              ["all", "Include removed"],
            ]}
          />
        </div>
      </div>
      <Card title="Workspaces" {...(spaces.data !== undefined ? { count: spaces.data.workspaces.length } : {})}>
        <Loaded query={spaces} what="workspaces">
          {(data) =>
            data.workspaces.length === 0 ? (
              <Empty title="No workspaces yet">
                A workflow with auto_create_workspaces gives each parallel task its own git worktree. The worktrees
                appear here with their branches.
              </Empty>
            ) : (
              <ul className="spaces lined">
                {data.workspaces.map((each) => (
                  <WorkspaceRow key={each.id} workspace={each} changed={() => void spaces.refetch()} />
                ))}
              </ul>
            )
          }
        </Loaded>
        <ShowOlderButton
          show={
            spaces.data?.workspaces.length === limit && limit < MAX
              ? () => setLimit(Math.min(limit + PAGE, MAX))
              : undefined
          }
        />
      </Card>
    </div>
  );
}

function TaskLink({ id }: { id: string }) {
  const task = useTool("task_get", { id }).data;
  return <Link to={`/tasks/${id}`}>{task?.name ?? "task"}</Link>;
}

/** Remove a workspace and save its work. An active one is abandoned first, and active again if it cannot be removed. */
function useRemoval(workspace: WorkspaceRecord) {
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

function WorkspaceRow({ workspace, changed }: { workspace: WorkspaceRecord; changed: () => void }) {
  const online = useOnline();
  const remove = useRemoval(workspace);
  const shown = workspaceStatus(workspace);
  const gone = workspace.removed_at !== null;
  return (
    <li className="row">
      <StatusIcon status={shown.status} />
      <div className="words">
        <strong>
          <code>{workspace.branch}</code>
        </strong>{" "}
        <span className="quiet">{shown.words}</span>
        <div className="meta">
          <CopyableId id={workspace.path} what="path" />
        </div>
        <div className="meta">
          {workspace.base_branch !== null && `from ${workspace.base_branch} · `}
          {workspace.task_ids.map((id, index) => (
            <span key={id}>
              {index > 0 && ", "}
              <TaskLink id={id} />
            </span>
          ))}
          {workspace.task_ids.length > 0 && " · "}
          <Time at={workspace.created_at} />
        </div>
        {(workspace.state?.uncommitted.length ?? 0) > 0 && (
          <details>
            <summary className="meta">{plural(workspace.state!.uncommitted.length, "uncommitted file")}</summary>
            <ul className="meta">
              {workspace.state!.uncommitted.slice(0, 50).map((path) => (
                <li key={path}>
                  <code>{path}</code>
                </li>
              ))}
            </ul>
          </details>
        )}
        <ErrorMessage error={remove.error} />
      </div>
      {!gone && (
        <ConfirmButton
          small
          word="Remove"
          again="Save work and remove"
          title="Commits stay on their branch; uncommitted changes are saved on a new branch"
          off={!online || remove.isPending}
          act={() => remove.mutate(undefined, { onSuccess: changed })}
        />
      )}
    </li>
  );
}
