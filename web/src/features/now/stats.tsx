// The numbers at the top of the Now page.
import type { ReactNode } from "react";
import { Link } from "react-router";

import type { Costs, OverviewRecord, Queue } from "@/api/types";
import { useStalledAgentCount } from "@/features/shell/use-overview";
import { LineCounts } from "@/ui/basics";
import { amount, count, describeCost, describeFailedAttempts, money, plural } from "@/ui/format";
import { doneCount } from "@/ui/status/progress-bar";
import { AGENT, QUEUE, type Status, TASK } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";

interface StatsProps {
  overview: OverviewRecord;
  waiting: Queue | undefined;
  costs: Costs | undefined;
}

export function Stats({ overview, waiting, costs }: StatsProps) {
  const states = overview.fleet.map((agent) => agent.state);
  const tally = (state: string) => states.filter((each) => each === state).length;
  const stalled = useStalledAgentCount();
  return (
    <dl className="figures">
      <Stat status={QUEUE.question} name="Needs you" value={waiting?.total ?? 0}>
        {stalled > 0 ? `${plural(stalled, "agent")} blocked` : "no agents blocked"}
      </Stat>
      <Stat status={TASK.blocked} name="Stuck" value={overview.stuck_total}>
        {overview.stuck_total === 0 ? "everything moves" : describeReasons(overview)}
      </Stat>
      <Stat status={AGENT.at_work} name="At work" value={tally("at_work")} small={`of ${states.length}`}>
        {[plural(tally("idle"), "idle", "idle"), tally("lost") > 0 ? `${tally("lost")} lost` : null]
          .filter(Boolean)
          .join(" · ")}
      </Stat>
      <Stat status={TASK.proved} name="Proved" value={overview.proved} small={`of ${count(doneCount(overview))} done`}>
        {overview.accepted > 0 ? `${overview.accepted} accepted, since you left` : "since you left"}
      </Stat>
      <Stat status={TASK.failed} name="Failed" value={overview.failed} small={overview.failed === 1 ? "task" : "tasks"}>
        {overview.failed_attempts > 0
          ? `${describeFailedAttempts(overview.failed_attempts)} at open tasks`
          : "since you left"}
      </Stat>
      <Stat
        name="Changed today"
        value={overview.changed_today.files}
        small={overview.changed_today.files === 1 ? "file" : "files"}
      >
        {overview.changed_today.files > 0 && <LineCounts of={overview.changed_today} />}
        {overview.changed_today.uncounted > 0 && `, ${plural(overview.changed_today.uncounted, "file")} not counted`}
      </Stat>
      <Spent costs={costs} />
    </dl>
  );
}

function describeReasons(overview: OverviewRecord): string {
  const words: Record<string, string> = {
    failed: "failing",
    silent: "silent",
    review: "in review",
    untouched: "untouched",
  };
  const found = Object.entries(words).map(([reason, word]) => {
    const tasks = overview.stuck.filter((each) => each.reason === reason).reduce((sum, each) => sum + each.tasks, 0);
    return tasks > 0 ? `${tasks} ${word}` : "";
  });
  return found.filter(Boolean).join(", ");
}

/** Show what today cost against the limit of the day, or of the runs that have one. */
function Spent({ costs }: { costs: Costs | undefined }) {
  if (costs === undefined) return null;
  const { today, budgets } = costs;
  const limit = budgets.find((each) => each.run_id === null) ?? budgets[0];
  return (
    <Stat
      name="Spent today"
      value={
        <Link to="/costs" aria-label={`Spent today: ${describeCost(today)}. Details`}>
          {describeCost(today, { short: true })}
        </Link>
      }
    >
      {limit !== undefined
        ? `${describeCost(limit)} of ${money(limit.limit_usd)}, ${limit.name}`
        : today.tokens !== null
          ? `${amount(today.tokens)} tokens, no budget`
          : "no budget"}
    </Stat>
  );
}

interface StatProps {
  name: string;
  value: ReactNode;
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
