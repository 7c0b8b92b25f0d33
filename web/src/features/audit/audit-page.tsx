// Every call: who, what, how it ended; filters stand in the address.
import { useMemo, useState } from "react";
import { Link } from "react-router";

import { useTool, useWholeList } from "@/api/use-tool";
import type { AuditEntry, ListAudit } from "@/api/types";
import { useRowKeys } from "@/features/shell/row-shortcuts";
import { useFilters } from "@/ui/hooks/use-url-filters";
import { Card, Id, Older, Segmented, Time } from "@/ui/basics";
import { Empty, Loaded } from "@/ui/query-states";
import type { Status } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";
import { newerThan, runsOf, took, useRecentCalls, type Run } from "./recent-calls";
import "./audit.css";

const LOOKS: Record<string, Status> = {
  ok: { shape: "disc-check", tone: "success", word: "ok" },
  error: { shape: "octagon", tone: "danger", word: "error" },
  denied: { shape: "ring-cross", tone: "danger", word: "denied" },
  invoked: { shape: "half", tone: "progress", word: "begun, not ended" },
};
const STATES = ["ok", "error", "denied"] as const;

export function AuditPage() {
  const [address, change] = useFilters();
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
            <input type="checkbox" checked={own} onChange={(event) => change("own", event.target.checked ? "1" : null)} /> also this page's own
          </label>
          <Segmented
            label="How calls ended"
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

/** The list holds still while somebody points at it, reads in it or has gone back: what came is told above it. */
function CallsCard({ args, narrowed }: { args: ListAudit; narrowed: boolean }) {
  const calls = useRecentCalls(args);
  const [held, setHeld] = useState<AuditEntry[] | null>(null);
  const shown = held !== null && calls.live ? held : calls.entries;
  const waiting = newerThan(shown, calls.entries);
  const rows = runsOf(shown);
  const agents = useWholeList("agent_list", { limit: 1000 }).data?.agents;
  const names = useMemo(() => new Map(agents?.map((each) => [each.id, each.name])), [agents]);
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
            {waiting} new, show
          </button>
        ) : calls.live ? (
          "as they come"
        ) : (
          "older ones: new ones are not added"
        )
      }
    >
      <Loaded query={calls.query} what="The audit could not be read">
        {() =>
          rows.length === 0 ? (
            <Empty title={narrowed ? "No call fits" : "No call yet"}>
              {narrowed
                ? "Take a filter away, or wait: new calls appear by themselves."
                : "Calls of agents, of the shell and of programs stand here as they come."}
            </Empty>
          ) : (
            <ul className="calls lined" onMouseEnter={hold} onFocus={hold} onMouseLeave={letGo}>
              {rows.map((run) => (
                <Row key={run.newest.id} run={run} who={names.get(run.newest.agent_id ?? "") ?? run.newest.caller} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <Older show={calls.older} />
    </Card>
  );
}

function AgentFilter({ id, drop }: { id: string; drop: () => void }) {
  const name = useTool("agent_get", { id }).data?.name ?? id;
  return (
    <button type="button" className="button" onClick={drop} title="Show the calls of all">
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
        aria-label="Only this tool"
        placeholder="Tool, such as task_*"
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

function Row({ run: { newest: entry, count }, who }: { run: Run; who: string }) {
  const [open, setOpen] = useState(false);
  const message = entry.error?.["message"];
  return (
    <li>
      <button type="button" className="call" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span className="meta">
          <Time at={entry.at} />
        </span>
        <StatusIcon status={LOOKS[entry.status] ?? { shape: "ring", tone: "neutral", word: entry.status }} size={14} />
        <span>
          <code>{entry.tool}</code> {count > 1 && <span className="meta">{count} times</span>}
        </span>
        <span className="quiet who">
          {who} · {entry.transport}
        </span>
        <span className="meta num">{took(entry)}</span>
        {typeof message === "string" && <span className="said">{message}</span>}
      </button>
      {open && <Whole entry={entry} />}
    </li>
  );
}

function Whole({ entry }: { entry: AuditEntry }) {
  const { arguments: given, result, error } = entry;
  return (
    <div className="whole">
      <p className="meta">
        <Id id={entry.id} /> · {entry.at}
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
      <pre className="text" tabIndex={0}>{JSON.stringify({ arguments: given, ...(error !== null ? { error } : { result }) }, null, 2)}</pre>
    </div>
  );
}
