// Every worktree: its branch, how far it is ahead and behind, what is not committed.
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useSearchParams } from "react-router";

import { call, type ApiError } from "@/api/call-tool";
import { useTool } from "@/api/use-tool";
import type { WorkspaceRecord } from "@/api/types";
import { useRowKeys } from "@/features/shell/row-shortcuts";
import { useOnline } from "@/live/live-connection";
import { Refusal, SureButton } from "@/ui/form";
import { Card, Id, Older, Segmented, Time } from "@/ui/basics";
import { Empty, Loaded } from "@/ui/query-states";
import { StatusIcon } from "@/ui/status/status-icon";
import { plural } from "@/ui/format";
import { stateOf } from "./workspace-status";
import "./workspaces.css";

const PAGE = 50;
const MOST = 200;

export function WorkspacesPage() {
  const [address, setAddress] = useSearchParams();
  const show = address.get("show") ?? "present";
  const [limit, setLimit] = useState(PAGE);
  const spaces = useTool("workspace_list", { include_state: true, include_removed: show === "all", limit }, { keep: true });
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
              , looked at <Time at={new Date(spaces.dataUpdatedAt).toISOString()} />
            </>
          )}
        </span>
        <div className="actions">
          <button type="button" className="button" onClick={() => void spaces.refetch()} disabled={spaces.isFetching}>
            Look again
          </button>
          <Segmented
            label="Which workspaces"
            value={show}
            choose={(value) => setAddress(value === "present" ? {} : { show: value }, { replace: true })}
            options={[
              ["present", "Present"],
              ["all", "With removed ones"],
            ]}
          />
        </div>
      </div>
      <Card title="Workspaces" {...(spaces.data !== undefined ? { count: spaces.data.workspaces.length } : {})}>
        <Loaded query={spaces} what="The workspaces could not be read">
          {(data) =>
            data.workspaces.length === 0 ? (
              <Empty title="No workspace yet">
                A workflow with auto_create_workspaces gives each parallel task a git worktree of its own; it stands here with its branch.
              </Empty>
            ) : (
              <ul className="spaces lined">
                {data.workspaces.map((each) => (
                  <Row key={each.id} workspace={each} changed={() => void spaces.refetch()} />
                ))}
              </ul>
            )
          }
        </Loaded>
        <Older show={spaces.data?.workspaces.length === limit && limit < MOST ? () => setLimit(Math.min(limit + PAGE, MOST)) : undefined} />
      </Card>
    </div>
  );
}

function TaskLink({ id }: { id: string }) {
  const task = useTool("task_get", { id }).data;
  return <Link to={`/tasks/${id}`}>{task?.name ?? "its task"}</Link>;
}

/** One that is in use is given up first, which keeps its work; if it cannot be removed after all, it is in use again. */
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

function Row({ workspace, changed }: { workspace: WorkspaceRecord; changed: () => void }) {
  const online = useOnline();
  const remove = useRemoval(workspace);
  const standing = stateOf(workspace);
  const gone = workspace.removed_at !== null;
  return (
    <li className="row">
      <StatusIcon status={standing.status} />
      <div className="words">
        <strong>
          <code>{workspace.branch}</code>
        </strong>{" "}
        <span className="quiet">{standing.words}</span>
        <div className="meta">
          <Id id={workspace.path} what="path" />
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
            <summary className="meta">{plural(workspace.state!.uncommitted.length, "file")} not committed</summary>
            <ul className="meta">
              {workspace.state!.uncommitted.slice(0, 50).map((path) => (
                <li key={path}>
                  <code>{path}</code>
                </li>
              ))}
            </ul>
          </details>
        )}
        <Refusal error={remove.error} />
      </div>
      {!gone && (
        <SureButton
          small
          word="Remove"
          again="Save its work and remove it"
          title="Its commits stay on their branch, and what is not committed is kept on a branch of its own"
          off={!online || remove.isPending}
          act={() => remove.mutate(undefined, { onSuccess: changed })}
        />
      )}
    </li>
  );
}
