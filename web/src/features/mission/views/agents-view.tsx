// The agents of the mission and their tasks.
import { useMemo } from "react";
import { Link } from "react-router";

import type { MissionTask } from "@/api/types";
import { elapsed, isDone } from "@/features/shell/missions/time-estimates";
import { useCosts } from "@/features/shell/missions/use-costs";
import { useAgentLink, useOverview } from "@/features/shell/use-overview";
import { Card } from "@/ui/basics";
import { describeCost, span } from "@/ui/format";
import { serverNow } from "@/ui/hooks/use-server-clock";
import { Empty } from "@/ui/query-states";
import { Lease } from "@/ui/status/lease";
import { AGENT, statusFor, TASK } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";
import type { ViewProps } from "../view-props";

const DAYS = 366;

interface Worker {
  id: string | null;
  name: string;
  tasks: MissionTask[];
}

export function AgentsView({ mission, choose }: ViewProps) {
  const workers = useMemo(() => workersOf(mission.tasks), [mission.tasks]);
  const overview = useOverview().data;
  const fleet = overview?.fleet ?? [];
  const signals = new Map(overview?.running.map((task) => [task.id, task]));
  const costs = new Map(useCosts(DAYS, { missionId: mission.id }).data?.agents.map((row) => [row.id, row]));
  const place = useAgentLink();
  return (
    <Card title="Agents" count={workers.length} className="workers">
      {workers.length === 0 ? (
        <Empty title="No agent has a task yet">Agents appear here once they claim or start a task.</Empty>
      ) : (
        <table>
          <thead>
            <tr>
              <th>Agent</th>
              <th>Task</th>
              <th className="said">Last signal</th>
              <th className="lease-column">Lease</th>
              <th className="num">Cost</th>
              <th className="num">Done</th>
              <th className="num">Task time</th>
            </tr>
          </thead>
          <tbody>
            {workers.map((worker) => {
              const now = worker.tasks.find((task) => task.started_at !== null && task.completed_at === null);
              const state =
                fleet.find((agent) => agent.id === worker.id)?.state ?? (now !== undefined ? "at_work" : "idle");
              return (
                <tr key={worker.id ?? worker.name}>
                  <td className="cut">
                    <StatusIcon status={statusFor(AGENT, state)} />{" "}
                    {worker.id !== null ? <Link to={`/agents?agent=${worker.id}`}>{worker.name}</Link> : worker.name}{" "}
                    {worker.id !== null && place(worker.id).startsWith("/executions/") && (
                      <Link className="meta" to={place(worker.id)}>
                        terminal
                      </Link>
                    )}
                  </td>
                  <td className="cut">
                    {now !== undefined && (
                      <>
                        <StatusIcon status={statusFor(TASK, now.state)} size={14} />{" "}
                        <button type="button" className="link" onClick={() => choose(now.id)}>
                          {now.name}
                        </button>
                      </>
                    )}
                  </td>
                  <td className="said cut quiet" title={signals.get(now?.id ?? "")?.said ?? undefined}>
                    {signals.get(now?.id ?? "")?.said}
                  </td>
                  <td className="lease-column">
                    {now !== undefined && <Lease until={now.lease_until} seconds={mission.lease_seconds} />}
                  </td>
                  <td className="num quiet">{describeAgentCost(costs.get(worker.id ?? ""))}</td>
                  <td className="num quiet">{worker.tasks.filter(isDone).length}</td>
                  <td className="num quiet">
                    {span(worker.tasks.reduce((sum, task) => sum + elapsed(task, serverNow()), 0))}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
    </Card>
  );
}

/** Return what an agent cost in this mission; nothing is known of one that has not ended any work. */
function describeAgentCost(cost: { usd: number | null; unknown: number } | undefined): string {
  return cost === undefined ? "" : describeCost(cost, { short: true });
}

function workersOf(tasks: readonly MissionTask[]): Worker[] {
  const found = new Map<string, Worker>();
  for (const task of tasks) {
    const key = task.agent_id ?? task.agent;
    if (key === null) continue;
    const worker = found.get(key) ?? { id: task.agent_id, name: task.agent ?? key, tasks: [] };
    worker.tasks.push(task);
    found.set(key, worker);
  }
  return [...found.values()];
}
