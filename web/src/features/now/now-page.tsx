// The start page: what needs you, what is running, what finished since your last visit, and the agents.
import { Link } from "react-router";

import { awaySeconds } from "@/features/shell/last-visit";
import { NewMissionButton } from "@/features/shell/missions/new-mission-form";
import { StartRunButton } from "@/features/shell/runs/start-run";
import { useInbox, useOverview } from "@/features/shell/use-overview";
import { longTime, span } from "@/ui/format";
import { useNow } from "@/ui/hooks/use-server-clock";
import { Empty, Loaded } from "@/ui/query-states";
import { ProofBar } from "@/ui/status/progress-bar";
import { ActivityChart } from "./activity-chart";
import { AgentGrid } from "./agent-grid";
import { LiveRuns } from "./live-runs";
import { NeedsYou } from "./needs-you";
import { RecentlyFinished } from "./recently-finished";
import { RunningTasks } from "./running-tasks";
import { Stats } from "./stats";
import "./now.css";

export function NowPage() {
  const overview = useOverview();
  const waiting = useInbox();
  return (
    <div className="page">
      <title>Now · Mission Control</title>
      <PageHead />
      <Loaded query={overview} what="the overview" rows={8}>
        {(data) =>
          data.missions_open === 0 && data.ended_total === 0 && data.fleet.length === 0 ? (
            <FirstRun />
          ) : (
            <>
              <Stats overview={data} waiting={waiting.data} />
              {data.proof.total > 0 && <ProofBar counts={data.proof} label="Proof across all open missions" />}
              <AgentGrid fleet={data.fleet} />
              <div className="columns">
                <div>
                  <NeedsYou />
                  <LiveRuns />
                  <RunningTasks overview={data} />
                </div>
                <div>
                  <ActivityChart />
                  <RecentlyFinished overview={data} />
                </div>
              </div>
            </>
          )
        }
      </Loaded>
    </div>
  );
}

function PageHead() {
  const now = useNow();
  return (
    <div className="page-head">
      <h1>Now</h1>
      <span className="quiet">
        {longTime(now)}
        {awaySeconds !== null && ` · you were away ${span(awaySeconds)}`}
      </span>
      <div className="actions">
        <StartRunButton primary={false} />
        <NewMissionButton />
      </div>
    </div>
  );
}

function FirstRun() {
  return (
    <section className="card">
      <Empty
        title="No missions yet"
        actions={
          <>
            <Link className="button primary" to="/welcome">
              Connect an agent
            </Link>
            <NewMissionButton />
            <code>mission demo</code>
          </>
        }
      >
        A mission is a goal with tasks for agents. Connect a client and let its agent start one over MCP, start one
        yourself, or watch the demo.
      </Empty>
    </section>
  );
}
