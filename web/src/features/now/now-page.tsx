// The start page: what needs you, what is stuck, what it cost, what changed, what is proved, and what is next.
import { Link } from "react-router";

import { NewMissionButton } from "@/features/shell/missions/new-mission-form";
import { useCosts } from "@/features/shell/missions/use-costs";
import { StartRunButton } from "@/features/shell/runs/start-run";
import { useInbox, useOverview } from "@/features/shell/use-overview";
import { longTime } from "@/ui/format";
import { useNow } from "@/ui/hooks/use-server-clock";
import { Empty, Loaded } from "@/ui/query-states";
import { ProofBar } from "@/ui/status/progress-bar";
import { ActivityChart } from "./activity-chart";
import { AgentGrid } from "./agent-grid";
import { CostCard } from "./cost-card";
import { LiveRuns } from "./live-runs";
import { NeedsYou } from "./needs-you";
import { NextUp } from "./next-up";
import { RecentlyFinished } from "./recently-finished";
import { RunningTasks } from "./running-tasks";
import { SinceLeft } from "./since-left";
import { Stats } from "./stats";
import { StuckTasks } from "./stuck";
import "./now.css";

const DAYS = 14;

export function NowPage() {
  const overview = useOverview();
  const waiting = useInbox();
  const costs = useCosts(DAYS).data;
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
              <SinceLeft overview={data} />
              <Stats overview={data} waiting={waiting.data} costs={costs} />
              {data.proof.total > 0 && <ProofBar counts={data.proof} label="Proof across all open missions" />}
              <AgentGrid fleet={data.fleet} />
              <div className="columns">
                <div>
                  <NeedsYou />
                  <StuckTasks overview={data} />
                  <LiveRuns />
                  <RunningTasks overview={data} />
                </div>
                <div>
                  <NextUp overview={data} />
                  <CostCard costs={costs} />
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
      <span className="quiet">{longTime(now)}</span>
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
