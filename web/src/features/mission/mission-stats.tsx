// The numbers of a mission: progress, estimated end, agents, changes and cost.
import { type ReactNode, useMemo } from "react";
import { Link } from "react-router";

import type { MissionOverview } from "@/api/types";
import { useTool } from "@/api/use-tool";
import { useRunningChanges } from "@/features/shell/changes/use-running-changes";
import { estimatedEnd, isRunning, secondsLeft, secondsLeftRange } from "@/features/shell/missions/time-estimates";
import { useCosts } from "@/features/shell/missions/use-costs";
import { LineCounts } from "@/ui/basics";
import { amount, clockTime, count, describeCost, money, plural, span } from "@/ui/format";
import { serverNow, useNow } from "@/ui/hooks/use-server-clock";
import { describeCounts, describeProof, doneCount } from "@/ui/status/progress-bar";

/** A mission is summed over its whole life. */
const DAYS = 366;

export function MissionStats({ mission }: { mission: MissionOverview }) {
  const { counts } = mission;
  const done = doneCount(counts) + counts.skipped;
  const agents = useMemo(() => agentsOf(mission), [mission]);
  return (
    <dl className="figures mission-figures">
      <Stat name="Progress" value={count(done)} small={`of ${plural(counts.total, "task")}`}>
        {describeCounts(counts)}
      </Stat>
      <EstimatedEnd mission={mission} />
      <Stat name="Running for" value={<Running mission={mission} />}>
        {span(mission.task_seconds)} of task time
      </Stat>
      <Stat name="Agents" value={agents.working} small={`of ${agents.all} at work`}>
        {agents.waiting > 0 ? `${agents.waiting} waiting for you` : "none waiting for you"}
      </Stat>
      <Changes mission={mission} />
      <Cost mission={mission} />
    </dl>
  );
}

function Stat({
  name,
  value,
  small,
  children,
}: {
  name: string;
  value: ReactNode;
  small?: string;
  children: ReactNode;
}) {
  return (
    <div className="figure">
      <dt>{name}</dt>
      <dd className="value">
        {value} {small !== undefined && <small>{small}</small>}
      </dd>
      <dd className="note">{children}</dd>
    </div>
  );
}

/** Show when the mission ended, or an estimate of when it will be done. */
function EstimatedEnd({ mission }: { mission: MissionOverview }) {
  const now = useNow();
  if (mission.completed_at !== null)
    return (
      <Stat name="Ended" value={clockTime(mission.completed_at, serverNow())}>
        {describeProof(mission.counts)}
      </Stat>
    );
  const ahead = secondsLeft(mission, now);
  const range = secondsLeftRange(mission, now);
  if (ahead === null || range === null)
    return (
      <Stat name="Estimated end" value="–">
        too few finished tasks
      </Stat>
    );
  const [low, high] = range.map((seconds) => span(seconds));
  const words = low === high ? `${low} left` : `${low} to ${high} left`;
  if (!mission.tasks.some(isRunning))
    return (
      <Stat name="Work left" value={span(ahead)}>
        {ahead === 0 ? "no open tasks" : `${words}, no agent at work`}
      </Stat>
    );
  return (
    <Stat name="Estimated end" value={clockTime(estimatedEnd(mission, now)!, now)}>
      {words}, up to {mission.max_parallel} in parallel
    </Stat>
  );
}

/** Show what ended tasks changed, and what differs in the worktrees of running ones. */
function Changes({ mission }: { mission: MissionOverview }) {
  const stored = useTool("overview_changes", { mission_id: mission.id }).data;
  const running = useRunningChanges(mission).data?.files.length ?? 0;
  return (
    <Stat name="Changes" value={count(mission.files)} small={mission.files === 1 ? "file" : "files"}>
      {stored !== undefined && mission.files > 0 && <LineCounts of={stored} />}
      {running > 0 && ` ${count(running)} more in running worktrees`}
      {mission.files === 0 && running === 0 && "none so far"}
    </Stat>
  );
}

/** Show what the mission cost; what nobody reported is unknown. */
function Cost({ mission }: { mission: MissionOverview }) {
  const found = useCosts(DAYS, { missionId: mission.id }).data;
  const budget = found?.budgets[0];
  if (found === undefined || (found.total.usd === null && found.total.unknown === 0)) return null;
  return (
    <Stat name="Cost" value={<Link to="/costs">{describeCost(found.total, { short: true })}</Link>}>
      {[
        budget !== undefined ? `run: ${describeCost(budget)} of ${money(budget.limit_usd)}` : "",
        found.total.tokens !== null ? `${amount(found.total.tokens)} tokens` : "",
        found.total.unknown > 0 ? `${plural(found.total.unknown, "price")} unknown` : "",
      ]
        .filter(Boolean)
        .join(", ")}
    </Stat>
  );
}

function Running({ mission }: { mission: MissionOverview }) {
  const now = useNow();
  if (mission.started_at === null) return <>–</>;
  const end = mission.completed_at !== null ? Date.parse(mission.completed_at) : now;
  return <>{span((end - Date.parse(mission.started_at)) / 1_000)}</>;
}

function agentsOf(mission: MissionOverview): { all: number; working: number; waiting: number } {
  const all = new Set<string>();
  const working = new Set<string>();
  const waiting = new Set<string>();
  for (const task of mission.tasks) {
    const agent = task.agent_id ?? task.agent;
    if (agent === null) continue;
    all.add(agent);
    if (["working", "planning", "checking"].includes(task.state)) working.add(agent);
    if (["asks", "blocked", "review", "budget"].includes(task.state)) waiting.add(agent);
  }
  for (const agent of waiting) working.delete(agent);
  return { all: all.size, working: working.size, waiting: waiting.size };
}
