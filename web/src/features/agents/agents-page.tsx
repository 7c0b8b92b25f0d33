// The agents by what they do: those that need you, at work, idle and gone; with task, usage and last heartbeat.
import { useEffect, useMemo } from "react";
import { Link, useSearchParams } from "react-router";

import type { AgentRecord, AgentSpending, FleetAgent } from "@/api/types";
import { useTool } from "@/api/use-tool";
import { useRowKeys } from "@/features/shell/keyboard/row-shortcuts";
import { useOverview } from "@/features/shell/use-overview";
import { Ago, CopyableId, Segmented, ShowOlderButton } from "@/ui/basics";
import { amount, count } from "@/ui/format";
import { useChangeHighlight } from "@/ui/hooks/use-change-highlight";
import { Empty, Loaded } from "@/ui/query-states";
import { AGENT, statusFor } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";
import { groupAgents, stateOf } from "./agent-groups";
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
        {older === undefined && <span className="quiet">{count(rows.length)}</span>}
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
      <section className="card">
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
              <>
                <div className="agent-columns meta" aria-hidden="true">
                  <span>Agent</span>
                  <span>Status</span>
                  <span>Task</span>
                  <span className="num">Used</span>
                  <span className="num">Heartbeat</span>
                </div>
                {groupAgents(rows, seen).map((group) => (
                  <section key={group.name} className="agent-group" aria-label={group.name}>
                    <h2>
                      {group.name} <span className="count">{group.agents.length}</span>
                    </h2>
                    <ul className="rows lined">
                      {group.agents.map((agent) => (
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
                  </section>
                ))}
              </>
            )
          }
        </Loaded>
        <ShowOlderButton show={older} />
      </section>
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
  const status = statusFor(AGENT, stateOf(agent, seen));
  const task = seen?.task_id ?? (agent.status === "offline" ? null : agent.current_task_id);
  const used = [
    spent !== undefined && spent.tokens > 0 ? `${amount(spent.tokens)} tokens` : "",
    spent !== undefined && spent.cost_usd > 0 ? `$${spent.cost_usd.toFixed(2)}` : "",
  ]
    .filter(Boolean)
    .join(" · ");
  const row = useChangeHighlight<HTMLLIElement>(`${status.word} ${task}`);
  return (
    <li id={agent.id} ref={row} data-chosen={chosen || undefined}>
      <Link className="agent-name" to={search} replace aria-expanded={chosen}>
        {agent.name}
      </Link>
      <span className="agent-status">
        <StatusIcon status={status} decorative /> {status.word}
      </span>
      <div className="task-cell">
        {task !== null ? (
          <Link to={`/tasks/${task}`}>{seen?.task_name ?? "task"}</Link>
        ) : (
          <span className="quiet">–</span>
        )}
        {seen?.mission_name != null && <div className="meta cut">{seen.mission_name}</div>}
      </div>
      <div className="quiet used" data-none={used === "" || undefined}>
        {used || "–"}
      </div>
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
    ["Client", agent.runtime],
    ["Role", agent.role],
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
