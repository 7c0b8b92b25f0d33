// The workspaces by mission, one line each: task, branch, uncommitted files, distance from the base, age and size.
import { useMemo, useState } from "react";
import { Link, useSearchParams } from "react-router";

import type { WorkspaceSize } from "@/api/types";
import { useTool } from "@/api/use-tool";
import { useRowKeys } from "@/features/shell/keyboard/row-shortcuts";
import { Card, Segmented, ShowOlderButton, Time } from "@/ui/basics";
import { Empty, Loaded } from "@/ui/query-states";
import { WorkspaceRow } from "./workspace-row";
import { byMission } from "./workspace-status";
import "./workspaces.css";

const PAGE = 50;
const MAX = 200;

export function WorkspacesPage() {
  const [address, setAddress] = useSearchParams();
  const show = address.get("show") ?? "present";
  const [limit, setLimit] = useState(PAGE);
  const spaces = useTool("overview_workspaces", { include_removed: show === "all", limit }, { keep: true });
  const sizes = useSizes(spaces.data?.workspaces ?? []);
  useRowKeys(".spaces .task-link");
  return (
    <div className="page workspaces">
      <title>Workspaces · Mission Control</title>
      <div className="page-head">
        <h1>Workspaces</h1>
        <span className="quiet">
          one worktree per parallel task
          {spaces.data !== undefined && (
            <>
              {" "}
              · checked at <Time at={new Date(spaces.dataUpdatedAt).toISOString()} />
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
      <Loaded query={spaces} what="workspaces">
        {(data) =>
          data.workspaces.length === 0 ? (
            <section className="card">
              <Empty title="No workspaces yet">
                A workflow with auto_create_workspaces gives each parallel task its own git worktree. The worktrees
                appear here with their branches.
              </Empty>
            </section>
          ) : (
            byMission(data.workspaces).map((group) => (
              <Card
                key={group.missionId}
                title={<Link to={`/missions/${group.missionId}`}>{group.name}</Link>}
                count={group.workspaces.length}
              >
                <ul className="spaces lined">
                  {group.workspaces.map((each) => (
                    <WorkspaceRow
                      key={each.id}
                      workspace={each}
                      size={sizes.get(each.id)}
                      changed={() => void spaces.refetch()}
                    />
                  ))}
                </ul>
              </Card>
            ))
          )
        }
      </Loaded>
      <ShowOlderButton
        show={
          spaces.data !== undefined && spaces.data.total > limit && limit < MAX
            ? () => setLimit(Math.min(limit + PAGE, MAX))
            : undefined
        }
      />
    </div>
  );
}

/** Return the sizes of worktrees that exist. Measuring takes a while, so the list does not wait for it. */
function useSizes(
  workspaces: readonly { id: string; removed_at: string | null }[],
): ReadonlyMap<string, WorkspaceSize> {
  const ids = workspaces.filter((each) => each.removed_at === null).map((each) => each.id);
  const found = useTool(
    "overview_workspace_sizes",
    { workspace_ids: ids.slice(0, MAX) },
    { enabled: ids.length > 0, keep: true },
  ).data?.sizes;
  return useMemo(() => new Map(found?.map((each) => [each.workspace_id, each])), [found]);
}
