// Every call with caller, tool and result. The filters are part of the address.
import { useMemo, useState } from "react";
import { Link } from "react-router";

import type { AuditEntry, ListAudit } from "@/api/types";
import { useTool } from "@/api/use-tool";
import { useRowKeys } from "@/features/shell/keyboard/row-shortcuts";
import { useAgentsById } from "@/features/shell/use-agents-by-id";
import { useOverview } from "@/features/shell/use-overview";
import { useRecentCalls } from "@/features/shell/use-recent-calls";
import { Card, CopyableId, Segmented, ShowOlderButton, Time } from "@/ui/basics";
import { useUrlFilters } from "@/ui/hooks/use-url-filters";
import { Empty, Loaded } from "@/ui/query-states";
import type { Status } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";
import { type CallGroup, duration, groupCalls, newerThan } from "./call-groups";
import "./audit.css";

const STATUSES: Record<string, Status> = {
  ok: { shape: "disc-check", tone: "success", word: "ok" },
  error: { shape: "octagon", tone: "danger", word: "error" },
  denied: { shape: "ring-cross", tone: "danger", word: "denied" },
  invoked: { shape: "half", tone: "progress", word: "not finished" },
};
const STATES = ["ok", "error", "denied"] as const;

export function AuditPage() {
  const [address, change] = useUrlFilters();
  const status = STATES.find((each) => each === address.get("status"));
  const [tool, agent, own] = [address.get("tool"), address.get("agent"), address.get("own") === "1"];
  const args: ListAudit = {
    limit: 200,
    ...(status !== undefined ? { status } : {}),
    ...(tool !== null ? { tool } : {}),
    ...(agent !== null ? { agent_id: agent } : {}),
    ...(own ? {} : { except_transport: "page" }),
  };
  return (
    <div className="page audit">
      <title>Audit · Mission Control</title>
      <div className="page-head">
        <h1>Audit</h1>
        <span className="quiet">every call, newest first</span>
        <div className="actions">
          {agent !== null && <AgentFilter id={agent} drop={() => change("agent", null)} />}
          <ToolFilter key={tool} tool={tool ?? ""} change={(value) => change("tool", value)} />
          <label className="tick quiet">
            <input
              type="checkbox"
              checked={own}
              onChange={(event) => change("own", event.target.checked ? "1" : null)}
            />{" "}
            include this page's calls
          </label>
          <Segmented
            label="Call status"
            value={status ?? "all"}
            choose={(value) => change("status", value === "all" ? null : value)}
            options={[["all", "All"], ...STATES.map((each) => [each, each] as const)]}
          />
        </div>
      </div>
      <CallsCard key={JSON.stringify(args)} args={args} narrowed={address.size > 0} />
    </div>
  );
}

/** The list does not change while you point at it, read an entry or look at older pages; new calls are counted above it. */
function CallsCard({ args, narrowed }: { args: ListAudit; narrowed: boolean }) {
  const calls = useRecentCalls(args);
  const [held, setHeld] = useState<AuditEntry[] | null>(null);
  const shown = held !== null && calls.live ? held : calls.entries;
  const waiting = newerThan(shown, calls.entries);
  const rows = groupCalls(shown);
  const names = useAgentNames(shown);
  const hold = () => setHeld((before) => before ?? calls.entries);
  const letGo = (event: React.SyntheticEvent<HTMLElement>) => {
    const list = event.currentTarget;
    const reads = list.querySelector("[aria-expanded=true]") !== null;
    if (!reads && !list.contains(document.activeElement)) setHeld(null);
  };
  useRowKeys(".call");
  return (
    <Card
      title="Calls"
      aside={
        waiting > 0 ? (
          <button type="button" className="button small" onClick={() => setHeld(calls.entries)}>
            Show {waiting} new
          </button>
        ) : calls.live ? (
          "live"
        ) : (
          "paused while older calls are shown"
        )
      }
    >
      <Loaded query={calls.query} what="calls">
        {() =>
          rows.length === 0 ? (
            <Empty title={narrowed ? "No matching calls" : "No calls yet"}>
              {narrowed
                ? "Remove a filter, or wait: new calls appear automatically."
                : "Calls from agents, the command line and programs appear here."}
            </Empty>
          ) : (
            <ul className="calls lined" onMouseEnter={hold} onFocus={hold} onMouseLeave={letGo}>
              {rows.map((run) => (
                <CallRow
                  key={run.newest.id}
                  run={run}
                  who={names.get(run.newest.agent_id ?? "") ?? run.newest.caller}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
      <ShowOlderButton show={calls.older} />
    </Card>
  );
}

/** Return the names of the agents in these calls; only those missing in the overview are loaded. */
function useAgentNames(entries: readonly AuditEntry[]): ReadonlyMap<string, string> {
  const fleet = useOverview().data?.fleet;
  const present = useMemo(() => new Map(fleet?.map((agent) => [agent.id, agent.name])), [fleet]);
  const missing =
    fleet === undefined ? [] : entries.flatMap(({ agent_id: id }) => (id !== null && !present.has(id) ? [id] : []));
  const others = useAgentsById(missing);
  return useMemo(
    () => new Map([...present, ...[...others.values()].map(({ id, name }) => [id, name] as const)]),
    [present, others],
  );
}

function AgentFilter({ id, drop }: { id: string; drop: () => void }) {
  const name = useTool("agent_get", { id }).data?.name ?? id;
  return (
    <button type="button" className="button" onClick={drop} title="Show calls from all agents">
      only {name} ×
    </button>
  );
}

function ToolFilter({ tool, change }: { tool: string; change: (tool: string) => void }) {
  const [value, setValue] = useState(tool);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        change(value.trim());
      }}
    >
      <input
        className="field"
        type="search"
        aria-label="Filter by tool"
        placeholder="Tool, for example task_*"
        value={value}
        onChange={(event) => {
          setValue(event.target.value);
          if (event.target.value === "") change("");
        }}
        onBlur={() => change(value.trim())}
      />
    </form>
  );
}

function CallRow({ run: { newest: entry, count }, who }: { run: CallGroup; who: string }) {
  const [open, setOpen] = useState(false);
  const message = entry.error?.message;
  return (
    <li>
      <button type="button" className="call" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span className="meta">
          <Time at={entry.at} />
        </span>
        <StatusIcon
          status={STATUSES[entry.status] ?? { shape: "ring", tone: "neutral", word: entry.status }}
          size={14}
        />
        <span>
          <code>{entry.tool}</code> {count > 1 && <span className="meta">{count} times</span>}
        </span>
        <span className="quiet who">
          {who} · {entry.transport}
        </span>
        <span className="meta num">{duration(entry)}</span>
        {typeof message === "string" && <span className="said">{message}</span>}
      </button>
      {open && <CallDetail entry={entry} />}
    </li>
  );
}

function CallDetail({ entry }: { entry: AuditEntry }) {
  const { arguments: given, result, error } = entry;
  return (
    <div className="whole">
      <p className="meta">
        <CopyableId id={entry.id} /> · {entry.at}
        {entry.mission_id !== null && (
          <>
            {" · "}
            <Link to={`/missions/${entry.mission_id}`}>mission</Link>
          </>
        )}
        {entry.task_id !== null && (
          <>
            {" · "}
            <Link to={`/tasks/${entry.task_id}`}>task</Link>
          </>
        )}
      </p>
      <pre className="text" tabIndex={0}>
        {JSON.stringify({ arguments: given, ...(error !== null ? { error } : { result }) }, null, 2)}
      </pre>
    </div>
  );
}
