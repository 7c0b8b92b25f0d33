// Every agent: whether it is there, what it has in hand, what it used.
import { useEffect, useMemo } from "react";
import { Link, useSearchParams } from "react-router";

import { useTool } from "@/api/queries";
import type { AgentRecord, FleetAgent } from "@/api/types";
import { useOverview } from "@/features/shell/counts";
import { Ago, Card, Id, Segmented } from "@/ui/parts";
import { Empty, Loaded } from "@/ui/states";
import { AGENT, look } from "@/ui/status";
import { StatusIcon } from "@/ui/status-icon";
import { amount } from "@/ui/text";
import { spentByAgent, type Spent } from "./spending";
import "./agents.css";

export function AgentsPage() {
  const [address, setAddress] = useSearchParams();
  const show = address.get("show") ?? "present";
  const agents = useTool("agent_list", { limit: 500 });
  const fleet = useOverview().data?.fleet;
  const executions = useTool("execution_list", { limit: 200 });
  const spent = useMemo(() => spentByAgent(executions.data?.executions ?? []), [executions.data]);
  const seen = useMemo(() => new Map(fleet?.map((each) => [each.id, each])), [fleet]);
  const chosen = address.get("agent");
  const all = agents.data?.agents ?? [];
  const rows = all.filter((agent) => show === "all" || agent.status !== "offline" || seen.has(agent.id) || agent.id === chosen);
  useEffect(() => {
    if (chosen !== null) document.getElementById(chosen)?.scrollIntoView?.({ block: "nearest" });
  }, [chosen, rows.length]);
  return (
    <div className="page agents">
      <title>Agents · Mission Control</title>
      <div className="page-head">
        <h1>Agents</h1>
        <span className="quiet">{agents.data !== undefined && `${all.length} known`}</span>
        <div className="actions">
          <Segmented
            label="Which agents"
            value={show}
            choose={(value) => setAddress(value === "present" ? {} : { show: value }, { replace: true })}
            options={[
              ["present", "Lately"],
              ["all", "All"],
            ]}
          />
        </div>
      </div>
      <Card title="Agents" count={rows.length}>
        <Loaded query={agents} what="The agents could not be read">
          {() =>
            rows.length === 0 ? (
              <Empty
                title={all.length === 0 ? "No agent has come yet" : "No agent is present"}
                actions={
                  <Link className="button primary" to="/welcome">
                    Connect an agent
                  </Link>
                }
              >
                An agent registers itself with its first call, or is launched by Mission Control.
              </Empty>
            ) : (
              <ul className="rows">
                {rows.map((agent) => (
                  <Row key={agent.id} agent={agent} seen={seen.get(agent.id)} spent={spent.get(agent.id)} chosen={agent.id === chosen} />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Card>
    </div>
  );
}

interface RowProps {
  agent: AgentRecord;
  seen: FleetAgent | undefined;
  spent: Spent | undefined;
  chosen: boolean;
}

function Row({ agent, seen, spent, chosen }: RowProps) {
  const status = look(AGENT, seen?.state ?? (agent.status === "offline" ? "offline" : "idle"));
  const used = [spent !== undefined && spent.tokens > 0 ? `${amount(spent.tokens)} tokens` : "", spent !== undefined && spent.cost > 0 ? `$${spent.cost.toFixed(2)}` : ""];
  return (
    <li id={agent.id} data-chosen={chosen || undefined}>
      <StatusIcon status={status} />
      <div className="words">
        <strong>{agent.name}</strong> <span className="quiet">{status.word}</span>
        <div className="meta">
          {agent.runtime} · {agent.role} · <Id id={agent.id} />
        </div>
      </div>
      <div className="task-cell">
        {agent.current_task_id !== null ? (
          <Link to={`/tasks/${agent.current_task_id}`}>{seen?.task_name ?? "its task"}</Link>
        ) : (
          <span className="quiet">no task</span>
        )}
        {seen?.mission_name != null && <div className="meta cut">{seen.mission_name}</div>}
      </div>
      <div className="quiet used">{used.filter(Boolean).join(" · ")}</div>
      <div className="meta num">
        <Ago at={agent.last_heartbeat} />
      </div>
    </li>
  );
}
