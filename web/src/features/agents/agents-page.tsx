// The agents: state, current task, usage and last heartbeat.
import { useEffect, useMemo } from "react";
import { Link, useSearchParams } from "react-router";

import type { AgentRecord, AgentSpending, FleetAgent } from "@/api/types";
import { useTool } from "@/api/use-tool";
import { useRowKeys } from "@/features/shell/keyboard/row-shortcuts";
import { useOverview } from "@/features/shell/use-overview";
import { Ago, Card, CopyableId, Segmented, ShowOlderButton } from "@/ui/basics";
import { amount } from "@/ui/format";
import { useChangeHighlight } from "@/ui/hooks/use-change-highlight";
import { Empty, Loaded } from "@/ui/query-states";
import { AGENT, statusFor } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";
import { useAgents } from "./use-agents";
import "./agents.css";

const MAX_SPENDING = 500;

export function AgentsPage() {
  const [address, setAddress] = useSearchParams();
  const show = address.get("show") ?? "present";
  const chosen = address.get("agent");
  const fleet = useOverview().data?.fleet;
  const seen = useMemo(() => new Map(fleet?.map((each) => [each.id, each])), [fleet]);
  const wanted = useMemo(() => [...seen.keys(), ...(chosen !== null ? [chosen] : [])], [seen, chosen]);
  const { rows, older, query } = useAgents(wanted, show === "all");
  const spending = useTool(
    "overview_spending",
    { agent_ids: rows.slice(0, MAX_SPENDING).map((agent) => agent.id) },
    { enabled: rows.length > 0, keep: true },
  );
  const spent = useMemo(() => new Map(spending.data?.agents.map((each) => [each.agent_id, each])), [spending.data]);
  useRowKeys(".agent-name");
  // biome-ignore lint/correctness/useExhaustiveDependencies: the row may appear only with a later response
  useEffect(() => {
    if (chosen !== null) document.getElementById(chosen)?.scrollIntoView?.({ block: "nearest" });
  }, [chosen, rows.length]);
  return (
    <div className="page agents">
      <title>Agents · Mission Control</title>
      <div className="page-head">
        <h1>Agents</h1>
        <div className="actions">
          <Segmented
            label="Filter agents"
            value={show}
            choose={(value) => setAddress(value === "present" ? {} : { show: value }, { replace: true })}
            options={[
              ["present", "Recent"],
              ["all", "All"],
            ]}
          />
        </div>
      </div>
      <Card title="Agents" {...(older === undefined ? { count: rows.length } : {})}>
        <Loaded query={query} what="agents">
          {() =>
            rows.length === 0 ? (
              <Empty
                title={show === "all" ? "No agents yet" : "No agents are online"}
                actions={
                  <Link className="button primary" to="/welcome">
                    Connect an agent
                  </Link>
                }
              >
                Agents appear here after their first call, or once Mission Control launches them.
              </Empty>
            ) : (
              <ul className="rows lined">
                {rows.map((agent) => (
                  <AgentRow
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
        <ShowOlderButton show={older} />
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

function AgentRow({ agent, seen, spent, chosen, search }: RowProps) {
  const status = statusFor(AGENT, seen?.state ?? (agent.status === "offline" ? "offline" : "idle"));
  const task = seen?.task_id ?? (agent.status === "offline" ? null : agent.current_task_id);
  const used = [
    spent !== undefined && spent.tokens > 0 ? `${amount(spent.tokens)} tokens` : "",
    spent !== undefined && spent.cost_usd > 0 ? `$${spent.cost_usd.toFixed(2)}` : "",
  ];
  const row = useChangeHighlight<HTMLLIElement>(`${status.word} ${task}`);
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
        {task !== null ? (
          <Link to={`/tasks/${task}`}>{seen?.task_name ?? "task"}</Link>
        ) : (
          <span className="quiet">no task</span>
        )}
        {seen?.mission_name != null && <div className="meta cut">{seen.mission_name}</div>}
      </div>
      <div className="quiet used">{used.filter(Boolean).join(" · ")}</div>
      <div className="meta num">
        <Ago at={agent.last_heartbeat} />
      </div>
      {chosen && <AgentDetail agent={agent} />}
    </li>
  );
}

/** Show the details of an agent and links to its terminal and calls. */
function AgentDetail({ agent }: { agent: AgentRecord }) {
  const runs = useTool("execution_list", { agent_id: agent.id, limit: 1 }).data?.executions ?? [];
  const facts: [string, string | null][] = [
    ["Type", agent.type.toLowerCase()],
    ["Capabilities", agent.capabilities.join(", ") || null],
    ["Folder", agent.workspace_path],
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
          <dt className="meta">ID</dt>
          <dd>
            <CopyableId id={agent.id} />
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
          Show calls
        </Link>
      </div>
    </div>
  );
}
