// All runs: those under way first, then the ones that ended.
import { Link } from "react-router";

import { useTool } from "@/api/use-tool";
import { RunRow } from "@/features/shell/runs/run-row";
import { useLiveRuns } from "@/features/shell/use-overview";
import { Card } from "@/ui/basics";
import { Empty, Loaded } from "@/ui/query-states";

const ENDED = 50;

export function RunsPage() {
  const live = useLiveRuns();
  const ended = useTool("run_list", { state: ["finished", "stopped"], limit: ENDED });
  return (
    <div className="page">
      <title>Runs · Mission Control</title>
      <div className="page-head">
        <h1>Runs</h1>
        <span className="quiet">
          A run carries out a mission: agents do the work, checks verify it, and results are merged.
        </span>
      </div>
      <Card title="In progress" {...(live.data !== undefined ? { count: live.data.runs.length } : {})}>
        <Loaded query={live} what="runs">
          {(data) =>
            data.runs.length === 0 ? (
              <Empty
                title="No runs in progress"
                actions={
                  <>
                    <Link className="button" to="/missions">
                      Open a mission
                    </Link>
                    <code>mission run plan.toml</code>
                  </>
                }
              >
                Choose Run… on a mission's page, or start one from a plan file.
              </Empty>
            ) : (
              <ul className="lined">
                {data.runs.map((run) => (
                  <RunRow key={run.run_id} run={run} />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Card>
      {ended.data !== undefined && ended.data.runs.length > 0 && (
        <Card title="Ended">
          <ul className="lined">
            {ended.data.runs.map((run) => (
              <RunRow key={run.run_id} run={run} />
            ))}
          </ul>
        </Card>
      )}
    </div>
  );
}
