// The figures across the top of Now.
import type { ReactNode } from "react";

import { useTool } from "@/api/use-tool";
import type { FleetAgent, OverviewRecord, Queue } from "@/api/types";
import { leftAt } from "@/features/shell/last-visit";
import { useStandingStill } from "@/features/shell/use-overview";
import { Time } from "@/ui/basics";
import { AGENT, QUEUE, TASK, type Status } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";
import { amount, count, failedWords, plural } from "@/ui/format";

export function Figures({ overview, waiting }: { overview: OverviewRecord; waiting: Queue | undefined }) {
  const states = overview.fleet.map((agent) => agent.state);
  const tally = (state: string) => states.filter((each) => each === state).length;
  const still = useStandingStill();
  return (
    <dl className="figures">
      <Figure status={QUEUE["question"]} name="Needs you" value={waiting?.total ?? 0}>
        {still > 0 ? `${plural(still, "agent")} ${still === 1 ? "stands" : "stand"} still` : "nobody stands still"}
      </Figure>
      <Figure status={AGENT["at_work"]} name="At work" value={tally("at_work")} small={`of ${states.length}`}>
        {[plural(tally("idle"), "idle", "idle"), tally("lost") > 0 ? `${tally("lost")} lost` : null].filter(Boolean).join(" · ")}
      </Figure>
      <Figure status={TASK["claimed"]} name="Claimed" value={overview.claimed} small={overview.claimed === 1 ? "task" : "tasks"}>
        since <Time at={leftAt} />, none proved
      </Figure>
      <Figure status={TASK["failed"]} name="Failed" value={overview.failed} small={overview.failed === 1 ? "task" : "tasks"}>
        since <Time at={leftAt} />
        {overview.failed_attempts > 0 && ` · ${failedWords(overview.failed_attempts)}`}
      </Figure>
      <Figure name="Open missions" value={overview.missions_open}>
        {plural(overview.running_total, "task")} worked on
      </Figure>
      <Spent fleet={overview.fleet} />
    </dl>
  );
}

/** What the fleet used, as far as its clients tell. */
function Spent({ fleet }: { fleet: FleetAgent[] }) {
  const ids = fleet.map((agent) => agent.id);
  const agents = useTool("overview_spending", { agent_ids: ids }, { enabled: ids.length > 0, keep: true }).data?.agents ?? [];
  const cost = agents.reduce((sum, each) => sum + each.cost_usd, 0);
  const tokens = agents.reduce((sum, each) => sum + each.tokens, 0);
  if (cost === 0 && tokens === 0) return null;
  if (cost === 0) return <Figure name="Spent" value={amount(tokens)} small="tokens" />;
  return (
    <Figure name="Spent" value={`$${cost.toFixed(2)}`}>
      {tokens > 0 && `${amount(tokens)} tokens`}
    </Figure>
  );
}

interface FigureProps {
  name: string;
  value: number | string;
  small?: string;
  status?: Status | undefined;
  children?: ReactNode;
}

export function Figure({ name, value, small, status, children }: FigureProps) {
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
