// What needs me, what runs, what ended since I left, and the fleet.
import { Link } from "react-router";

import { NewMission } from "@/features/missions/new-mission-form";
import { useOverview, useWaiting } from "@/features/shell/use-overview";
import { awaySeconds } from "@/features/shell/last-visit";
import { useNow } from "@/ui/hooks/use-server-clock";
import { Empty, Loaded } from "@/ui/query-states";
import { longTime, span } from "@/ui/format";
import { Course } from "./activity-chart";
import { Figures } from "./stats";
import { FleetCells } from "./agent-grid";
import { Finished } from "./recently-finished";
import { NeedsYou } from "./needs-you";
import { Running } from "./running-tasks";
import "./now.css";

export function NowPage() {
  const overview = useOverview();
  const waiting = useWaiting();
  return (
    <div className="page">
      <title>Now · Mission Control</title>
      <Head />
      <Loaded query={overview} what="What goes on could not be read" rows={8}>
        {(data) =>
          data.missions_open === 0 && data.ended_total === 0 && data.fleet.length === 0 ? (
            <FirstRun />
          ) : (
            <>
              <Figures overview={data} waiting={waiting.data} />
              <FleetCells fleet={data.fleet} />
              <div className="columns">
                <div>
                  <NeedsYou />
                  <Running overview={data} />
                </div>
                <div>
                  <Course />
                  <Finished overview={data} />
                </div>
              </div>
            </>
          )
        }
      </Loaded>
    </div>
  );
}

function Head() {
  const now = useNow();
  return (
    <div className="page-head">
      <h1>Now</h1>
      <span className="quiet">
        {longTime(now)}
        {awaySeconds !== null && ` · you were away ${span(awaySeconds)}`}
      </span>
      <div className="actions">
        <NewMission />
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
            <NewMission />
            <code>mission demo</code>
          </>
        }
      >
        A mission is a goal with tasks that agents take. Connect a client and let its agent start one over MCP, start one yourself, or watch
        the demonstration.
      </Empty>
    </section>
  );
}
