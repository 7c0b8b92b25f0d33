// The figures of a mission: how far, until when, who, what changed.
import { useMemo, type ReactNode } from "react";

import { useTool } from "@/api/use-tool";
import type { MissionOverview } from "@/api/types";
import { MOST_SUMMED, spentInAll } from "@/features/mission/spending";
import { serverNow, useNow } from "@/ui/hooks/use-server-clock";
import { Progress, tallyWords } from "@/ui/status/progress-bar";
import { amount, clockTime, count, plural, span } from "@/ui/format";
import { doneAbout, isGoing, rangeAhead, secondsAhead } from "./graph/time-estimates";

export function MissionFigures({ mission }: { mission: MissionOverview }) {
  const { counts } = mission;
  const done = counts.claimed + counts.skipped;
  const agents = useMemo(() => agentsOf(mission), [mission]);
  return (
    <dl className="figures mission-figures">
      <Figure name="Progress" value={count(done)} small={`of ${plural(counts.total, "task")}`}>
        <Progress tally={counts} />
        <span className="quiet">{tallyWords(counts)}</span>
      </Figure>
      <Ahead mission={mission} />
      <Figure name="Running for" value={<Running mission={mission} />}>
        {span(mission.task_seconds)} of task time
      </Figure>
      <Figure name="Agents" value={agents.working} small={`of ${agents.all} at work`}>
        {agents.waiting > 0 ? `${agents.waiting} ${agents.waiting === 1 ? "waits" : "wait"} for you` : "nobody waits for you"}
      </Figure>
      <Figure name="Changes" value={count(mission.files)} small={mission.files === 1 ? "file" : "files"}>
        as seen in the tree
      </Figure>
      <Cost mission={mission} />
    </dl>
  );
}

function Figure({ name, value, small, children }: { name: string; value: ReactNode; small?: string; children: ReactNode }) {
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

/** When it is done: measured once it is, guessed from what tasks usually take before. The guess moves on with the clock. */
function Ahead({ mission }: { mission: MissionOverview }) {
  const now = useNow();
  if (mission.completed_at !== null)
    return (
      <Figure name="Ended" value={clockTime(mission.completed_at, serverNow())}>
        claimed, not proved
      </Figure>
    );
  const ahead = secondsAhead(mission, now);
  const range = rangeAhead(mission, now);
  if (ahead === null || range === null)
    return (
      <Figure name="Done about" value="–">
        too few tasks have ended
      </Figure>
    );
  const [low, high] = range.map((seconds) => span(seconds));
  const words = low === high ? `${low} left` : `${low} to ${high} left`;
  if (!mission.tasks.some(isGoing))
    return (
      <Figure name="Work left" value={span(ahead)}>
        {ahead === 0 ? "no task is open" : `${words}, nobody is at work`}
      </Figure>
    );
  return (
    <Figure name="Done about" value={clockTime(doneAbout(mission, now)!, now)}>
      {words}, {mission.max_parallel} at once
    </Figure>
  );
}

/** What the launched agents of the mission say they used; absent when none says so. */
function Cost({ mission }: { mission: MissionOverview }) {
  const spent = spentInAll(useTool("execution_list", { mission_id: mission.id, limit: MOST_SUMMED }).data?.executions);
  if (spent === null) return null;
  return (
    <Figure name="Cost" value={spent.cost > 0 ? `$${spent.cost.toFixed(2)}` : amount(spent.tokens)} {...(spent.cost > 0 ? {} : { small: "tokens" })}>
      {spent.cost > 0 && `${amount(spent.tokens)} tokens, `}as {plural(spent.executions, "run")} tell{spent.executions === 1 && "s"}
    </Figure>
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
    if (task.state === "working" || task.state === "planning") working.add(agent);
    if (["asks", "blocked", "review", "budget"].includes(task.state)) waiting.add(agent);
  }
  for (const agent of waiting) working.delete(agent);
  return { all: all.size, working: working.size, waiting: waiting.size };
}
