// Worktrees: branch, how far ahead and behind, what is uncommitted.
import { Link } from "react-router";

import { useTool } from "@/api/queries";
import type { WorkspaceRecord } from "@/api/types";
import { Ago, Card } from "@/ui/parts";
import { Empty, Loaded } from "@/ui/states";
import { plural } from "@/ui/text";
import "../agents/agents.css";

export function WorkspacesPage() {
  const workspaces = useTool("workspace_list", { include_state: true });
  return (
    <div className="page">
      <title>Workspaces · Mission Control</title>
      <div className="page-head">
        <h1>Workspaces</h1>
        <div className="actions">
          <button type="button" className="button" onClick={() => void workspaces.refetch()}>
            Look again
          </button>
        </div>
      </div>
      <Card title="Worktrees" count={workspaces.data?.workspaces.length ?? 0} className="plain-table">
        <Loaded query={workspaces} what="The workspaces could not be read">
          {(data) =>
            data.workspaces.length === 0 ? (
              <Empty title="No worktree yet" actions={<code>workspace_create</code>}>
                Tasks that run side by side get a git worktree each; its branch and state stand here.
              </Empty>
            ) : (
              <table>
                <thead>
                  <tr>
                    <th>Branch</th>
                    <th className="wide-column">Path</th>
                    <th>State</th>
                    <th className="num">Changed</th>
                  </tr>
                </thead>
                <tbody>
                  {data.workspaces.map((each) => (
                    <tr key={each.id}>
                      <td>
                        <code>{each.branch}</code>
                        <div className="meta">
                          {each.task_ids.map((id) => (
                            <Link key={id} to={`/tasks/${id}`}>
                              {id}{" "}
                            </Link>
                          ))}
                        </div>
                      </td>
                      <td className="wide-column">
                        <code>{each.path}</code>
                      </td>
                      <td className="quiet">
                        {each.status}
                        <div className="meta">{stateOf(each)}</div>
                      </td>
                      <td className="num quiet">
                        <Ago at={each.updated_at} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )
          }
        </Loaded>
      </Card>
    </div>
  );
}

function stateOf(workspace: WorkspaceRecord): string {
  const state = workspace.state;
  if (state == null) return "";
  if (!state.exists) return "its folder is gone";
  const parts = [];
  if (state.ahead !== null) parts.push(`${state.ahead} ahead`);
  if (state.behind !== null && state.behind > 0) parts.push(`${state.behind} behind`);
  parts.push(state.dirty ? plural(state.uncommitted.length, "uncommitted file") : "clean");
  return parts.join(" · ");
}
