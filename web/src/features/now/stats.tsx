// The numbers at the top of the Now page.
import type { ReactNode } from "react";

import type { FleetAgent, OverviewRecord, Queue } from "@/api/types";
import { useTool } from "@/api/use-tool";
import { lastVisit } from "@/features/shell/last-visit";
import { useStalledAgentCount } from "@/features/shell/use-overview";
import { Time } from "@/ui/basics";
import { amount, count, describeFailedAttempts, plural } from "@/ui/format";
import { doneCount } from "@/ui/status/progress-bar";
import { AGENT, QUEUE, type Status, TASK } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";

export function Stats({ overview, waiting }: { overview: OverviewRecord; waiting: Queue | undefined }) {
  const states = overview.fleet.map((agent) => agent.state);
  const tally = (state: string) => states.filter((each) => each === state).length;
  const stalled = useStalledAgentCount();
  const done = doneCount(overview);
  return (
    <dl className="figures">
      <Stat status={QUEUE.question} name="Needs you" value={waiting?.total ?? 0}>
        {stalled > 0 ? `${plural(stalled, "agent")} blocked` : "no agents blocked"}
      </Stat>
      <Stat status={AGENT.at_work} name="At work" value={tally("at_work")} small={`of ${states.length}`}>
        {[plural(tally("idle"), "idle", "idle"), tally("lost") > 0 ? `${tally("lost")} lost` : null]
          .filter(Boolean)
          .join(" · ")}
      </Stat>
      <Stat status={TASK.proved} name="Proved" value={overview.proved} small={`of ${count(done)} done`}>
        since <Time at={lastVisit} />
        {overview.accepted > 0 && `, ${overview.accepted} accepted`}
      </Stat>
      <Stat status={TASK.failed} name="Failed" value={overview.failed} small={overview.failed === 1 ? "task" : "tasks"}>
        since <Time at={lastVisit} />
        {overview.failed_attempts > 0 && ` · ${describeFailedAttempts(overview.failed_attempts)}`}
      </Stat>
      <Stat name="Open missions" value={overview.missions_open}>
        {plural(overview.running_total, "running task")}
      </Stat>
      <Spending fleet={overview.fleet} />
    </dl>
  );
}

/** Show what the agents used, as reported by their clients. */
function Spending({ fleet }: { fleet: FleetAgent[] }) {
  const ids = fleet.map((agent) => agent.id);
  const agents =
    useTool("overview_spending", { agent_ids: ids }, { enabled: ids.length > 0, keep: true }).data?.agents ?? [];
  const cost = agents.reduce((sum, each) => sum + each.cost_usd, 0);
  const tokens = agents.reduce((sum, each) => sum + each.tokens, 0);
  if (cost === 0 && tokens === 0) return null;
  if (cost === 0) return <Stat name="Spent" value={amount(tokens)} small="tokens" />;
  return (
    <Stat name="Spent" value={`$${cost.toFixed(2)}`}>
      {tokens > 0 && `${amount(tokens)} tokens`}
    </Stat>
  );
}

interface StatProps {
  name: string;
  value: number | string;
  small?: string;
  status?: Status | undefined;
  children?: ReactNode;
}

export function Stat({ name, value, small, status, children }: StatProps) {
  return (
    <div className="figure">
      <dt>
        {status !== undefined && <StatusIcon status={status} size={14} decorative />}
        {name}
      </dt>
      <dd className="value">
        {typeof value === "number" ? count(value) : value} {small !== undefined && <small>{small}</small>}
      </dd>
      <dd className="note">{children}</dd>
    </div>
  );
}
