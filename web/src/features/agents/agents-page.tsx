// Who is there: presence, what each has in hand, and since when it was seen.
import { useMemo } from "react";
import { Link, useSearchParams } from "react-router";

import { useTool } from "@/api/queries";
import type { AgentRecord } from "@/api/types";
import { useOverview } from "@/features/shell/counts";
import { Ago, Card, Id } from "@/ui/parts";
import { Empty, Loaded } from "@/ui/states";
import { AGENT, look } from "@/ui/status";
import { StatusIcon } from "@/ui/status-icon";
import "./agents.css";

export function AgentsPage() {
  const agents = useTool("agent_list", {});
  const overview = useOverview();
  const [address] = useSearchParams();
  const states = useMemo(() => new Map(overview.data?.fleet.map((agent) => [agent.id, agent])), [overview.data]);
  const chosen = address.get("agent");
  return (
    <div className="page">
      <title>Agents · Mission Control</title>
      <div className="page-head">
        <h1>Agents</h1>
        <span className="quiet">{agents.data !== undefined && `${agents.data.agents.length} registered`}</span>
      </div>
      <Card title="Fleet" className="agents">
        <Loaded query={agents} what="The agents could not be read">
          {(data) =>
            data.agents.length === 0 ? (
              <Empty title="No agent has registered" actions={<code>mission setup claude-code</code>}>
                Connect a client; its sessions and the agents it starts stand here.
              </Empty>
            ) : (
              <table>
                <thead>
                  <tr>
                    <th>Agent</th>
                    <th className="runtime">Runtime</th>
                    <th>Task</th>
                    <th className="role">Type</th>
                    <th className="num">Last seen</th>
                  </tr>
                </thead>
                <tbody>
                  {data.agents.map((agent) => (
                    <Row key={agent.id} agent={agent} chosen={agent.id === chosen} seen={states.get(agent.id)} />
                  ))}
                </tbody>
              </table>
            )
          }
        </Loaded>
      </Card>
    </div>
  );
}

interface RowProps {
  agent: AgentRecord;
  chosen: boolean;
  seen: { state: string; task_id: string | null; task_name: string | null } | undefined;
}

function Row({ agent, chosen, seen }: RowProps) {
  const state = seen?.state ?? (agent.status === "offline" ? "offline" : agent.status === "busy" ? "at_work" : "idle");
  return (
    <tr data-chosen={chosen || undefined}>
      <td>
        <div className="cut">
          <StatusIcon status={look(AGENT, state)} /> <strong>{agent.name}</strong>
        </div>
        <Id id={agent.id} />
      </td>
      <td className="runtime quiet">{agent.runtime}</td>
      <td className="cut">{seen?.task_id != null && <Link to={`/tasks/${seen.task_id}`}>{seen.task_name}</Link>}</td>
      <td className="role quiet">{agent.type.toLowerCase()}</td>
      <td className="num quiet">
        <Ago at={agent.last_heartbeat} />
      </td>
    </tr>
  );
}
