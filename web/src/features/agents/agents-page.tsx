// Every agent: whether it is there, what it has in hand, what it used.
import { useEffect, useMemo } from "react";
import { Link, useSearchParams } from "react-router";

import { useTool, useWholeList } from "@/api/use-tool";
import type { AgentRecord, AgentSpending, FleetAgent } from "@/api/types";
import { useOverview } from "@/features/shell/use-overview";
import { useRowKeys } from "@/features/shell/row-shortcuts";
import { Ago, Card, Id, Segmented } from "@/ui/basics";
import { Empty, Loaded } from "@/ui/query-states";
import { AGENT, look } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";
import { amount } from "@/ui/format";
import { useTint } from "@/ui/hooks/use-change-highlight";
import "./agents.css";

const MOST_SPENDING = 500;

export function AgentsPage() {
  const [address, setAddress] = useSearchParams();
  const show = address.get("show") ?? "present";
  const agents = useWholeList("agent_list", { limit: 1000 });
  const fleet = useOverview().data?.fleet;
  const seen = useMemo(() => new Map(fleet?.map((each) => [each.id, each])), [fleet]);
  const chosen = address.get("agent");
  const all = agents.data?.agents ?? [];
  const rows = all.filter((agent) => show === "all" || agent.status !== "offline" || seen.has(agent.id) || agent.id === chosen);
  const spending = useTool("overview_spending", { agent_ids: rows.slice(0, MOST_SPENDING).map((agent) => agent.id) }, { enabled: rows.length > 0, keep: true });
  const spent = useMemo(() => new Map(spending.data?.agents.map((each) => [each.agent_id, each])), [spending.data]);
  useRowKeys(".agent-name");
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
              <ul className="rows lined">
                {rows.map((agent) => (
                  <Row
                    key={agent.id}
                    agent={agent}
                    seen={seen.get(agent.id)}
                    spent={spent.get(agent.id)}
                    chosen={agent.id === chosen}
                    search={searchFor(show, agent.id === chosen ? null : agent.id)}
                  />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Card>
    </div>
  );
}

function searchFor(show: string, agent: string | null): string {
  const search = new URLSearchParams({ ...(show !== "present" ? { show } : {}), ...(agent !== null ? { agent } : {}) });
  return `?${search}`;
}

interface RowProps {
  agent: AgentRecord;
  seen: FleetAgent | undefined;
  spent: AgentSpending | undefined;
  chosen: boolean;
  search: string;
}

function Row({ agent, seen, spent, chosen, search }: RowProps) {
  const status = look(AGENT, seen?.state ?? (agent.status === "offline" ? "offline" : "idle"));
  const task = seen?.task_id ?? (agent.status === "offline" ? null : agent.current_task_id);
  const used = [
    spent !== undefined && spent.tokens > 0 ? `${amount(spent.tokens)} tokens` : "",
    spent !== undefined && spent.cost_usd > 0 ? `$${spent.cost_usd.toFixed(2)}` : "",
  ];
  const row = useTint<HTMLLIElement>(`${status.word} ${task}`);
  return (
    <li id={agent.id} ref={row} data-chosen={chosen || undefined}>
      <StatusIcon status={status} />
      <div className="words">
        <Link className="agent-name" to={search} replace aria-expanded={chosen}>
          {agent.name}
        </Link>{" "}
        <span className="quiet">{status.word}</span>
        <div className="meta">
          {agent.runtime} · {agent.role}
        </div>
      </div>
      <div className="task-cell">
        {task !== null ? <Link to={`/tasks/${task}`}>{seen?.task_name ?? "its task"}</Link> : <span className="quiet">no task</span>}
        {seen?.mission_name != null && <div className="meta cut">{seen.mission_name}</div>}
      </div>
      <div className="quiet used">{used.filter(Boolean).join(" · ")}</div>
      <div className="meta num">
        <Ago at={agent.last_heartbeat} />
      </div>
      {chosen && <More agent={agent} />}
    </li>
  );
}

/** What else is known of an agent, and where to go from here. */
function More({ agent }: { agent: AgentRecord }) {
  const runs = useTool("execution_list", { agent_id: agent.id, limit: 1 }).data?.executions ?? [];
  const facts: [string, string | null][] = [
    ["May do", agent.type.toLowerCase()],
    ["Can", agent.capabilities.join(", ") || null],
    ["Works in", agent.workspace_path],
  ];
  return (
    <div className="more-of">
      <dl>
        {facts
          .filter(([, value]) => value !== null)
          .map(([name, value]) => (
            <div key={name}>
              <dt className="meta">{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        <div>
          <dt className="meta">Id</dt>
          <dd>
            <Id id={agent.id} />
          </dd>
        </div>
      </dl>
      <div className="actions">
        {runs[0] !== undefined && (
          <Link className="button small" to={`/executions/${runs[0].id}`}>
            Open terminal
          </Link>
        )}
        <Link className="button small" to={`/audit?agent=${agent.id}`}>
          Its calls
        </Link>
      </div>
    </div>
  );
}
