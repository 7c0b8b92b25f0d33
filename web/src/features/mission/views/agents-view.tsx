// The agents of the mission and their tasks.
import { useMemo } from "react";
import { Link } from "react-router";

import type { MissionTask } from "@/api/types";
import { elapsed, isDone } from "@/features/shell/missions/time-estimates";
import { useOverview } from "@/features/shell/use-overview";
import { Card } from "@/ui/basics";
import { span } from "@/ui/format";
import { serverNow } from "@/ui/hooks/use-server-clock";
import { Empty } from "@/ui/query-states";
import { Lease } from "@/ui/status/lease";
import { AGENT, statusFor, TASK } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";
import type { ViewProps } from "../view-props";

interface Worker {
  id: string | null;
  name: string;
  tasks: MissionTask[];
}

export function AgentsView({ mission, choose }: ViewProps) {
  const workers = useMemo(() => workersOf(mission.tasks), [mission.tasks]);
  const fleet = useOverview().data?.fleet ?? [];
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
              <th className="lease-column">Lease</th>
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
                    {worker.id !== null ? <Link to={`/agents?agent=${worker.id}`}>{worker.name}</Link> : worker.name}
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
                  <td className="lease-column">
                    {now !== undefined && <Lease until={now.lease_until} seconds={mission.lease_seconds} />}
                  </td>
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
