// Every call with caller, tool, target and result; those that only read are left out at first. Filters are in the address.
import { useState } from "react";
import { Link } from "react-router";

import type { AuditEntry, ListAudit } from "@/api/types";
import { useTool } from "@/api/use-tool";
import { useRowKeys } from "@/features/shell/keyboard/row-shortcuts";
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
  const reads = address.get("reads") === "1";
  const args: ListAudit = {
    limit: 200,
    names: true,
    reads,
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
        <span className="quiet">{reads ? "every call" : "calls that changed something or failed"}, newest first</span>
        <div className="actions">
          {agent !== null && <AgentFilter id={agent} drop={() => change("agent", null)} />}
          <ToolFilter key={tool} tool={tool ?? ""} change={(value) => change("tool", value)} />
          <Segmented
            label="Kind of calls"
            value={reads ? "all" : "writes"}
            choose={(value) => change("reads", value === "all" ? "1" : null)}
            options={[
              ["writes", "Writes only"],
              ["all", "Reads too"],
            ]}
          />
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
                <CallRow key={run.newest.id} run={run} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <ShowOlderButton show={calls.older} />
    </Card>
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

function CallRow({ run: { newest: entry, count } }: { run: CallGroup }) {
  const [open, setOpen] = useState(false);
  const message = entry.error?.message;
  return (
    <li className="call-row">
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
        <span className="target-space" />
        <span className="quiet who">
          {entry.agent_name ?? entry.caller} · {entry.transport}
        </span>
        <span className="meta num">{duration(entry)}</span>
        {typeof message === "string" && <span className="said">{message}</span>}
      </button>
      <Target entry={entry} />
      {open && <CallDetail entry={entry} />}
    </li>
  );
}

/** Show the task or mission that a call was about. It lies over the row's button, because links cannot be inside one. */
function Target({ entry }: { entry: AuditEntry }) {
  if (entry.task_id !== null)
    return (
      <Link className="target" to={`/tasks/${entry.task_id}`}>
        {entry.task_name ?? entry.task_id}
      </Link>
    );
  if (entry.mission_id === null) return null;
  return (
    <Link className="target" to={`/missions/${entry.mission_id}`}>
      {entry.mission_name ?? entry.mission_id}
    </Link>
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
