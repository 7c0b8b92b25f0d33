// Every call: who, what, how it ended; filters stand in the address.
import { useState } from "react";
import { useSearchParams } from "react-router";

import type { ListAudit } from "@/api/types";
import { Card, Segmented, Time } from "@/ui/parts";
import { Empty, Loaded } from "@/ui/states";
import type { Status } from "@/ui/status";
import { StatusIcon } from "@/ui/status-icon";
import { isOwn, runsOf, took, useRecentCalls, type Run } from "./recent";
import "./audit.css";

const LOOKS: Record<string, Status> = {
  ok: { shape: "disc-check", tone: "success", word: "ok" },
  error: { shape: "octagon", tone: "danger", word: "error" },
  denied: { shape: "ring-cross", tone: "danger", word: "denied" },
};

export function AuditPage() {
  const [address, setAddress] = useSearchParams();
  const status = (address.get("status") ?? "all") as "all" | "ok" | "error" | "denied";
  const tool = address.get("tool") ?? "";
  const own = address.get("own") === "1";
  const args: ListAudit = { limit: 200, ...(status !== "all" ? { status } : {}), ...(tool !== "" ? { tool } : {}) };
  const audit = useRecentCalls(args);
  const change = (name: string, value: string) =>
    setAddress(
      (before) => {
        const next = new URLSearchParams(before);
        if (value === "" || value === "all") next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  return (
    <div className="page audit">
      <title>Audit · Mission Control</title>
      <div className="page-head">
        <h1>Audit</h1>
        <span className="quiet">every call, newest first</span>
        <div className="actions">
          <ToolFilter tool={tool} change={(value) => change("tool", value)} />
          <label className="check">
            <input type="checkbox" checked={own} onChange={(event) => change("own", event.target.checked ? "1" : "")} /> also this page's own
          </label>
          <Segmented
            label="How calls ended"
            value={status}
            choose={(value) => change("status", value)}
            options={[
              ["all", "All"],
              ["ok", "ok"],
              ["error", "error"],
              ["denied", "denied"],
            ]}
          />
        </div>
      </div>
      <Card title="Calls">
        <Loaded query={audit} what="The audit could not be read">
          {(data) => {
            const rows = runsOf(data.entries.filter((entry) => own || !isOwn(entry)));
            return rows.length === 0 ? (
              <Empty title="No call fits">Calls of agents, of the shell and of programs stand here as they come.</Empty>
            ) : (
              <ul className="calls">
                {rows.map((run) => (
                  <Row key={run.newest.id} run={run} />
                ))}
              </ul>
            );
          }}
        </Loaded>
      </Card>
    </div>
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
        placeholder="Only this tool"
        value={value}
        onChange={(event) => setValue(event.target.value)}
        onBlur={() => change(value.trim())}
      />
    </form>
  );
}

function Row({ run: { newest: entry, count } }: { run: Run }) {
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
          {entry.caller} · {entry.transport}
        </span>
        <span className="meta num">{took(entry)}</span>
        {typeof message === "string" && <span className="said">{message}</span>}
      </button>
      {open && (
        <pre tabIndex={0}>
          {JSON.stringify({ id: entry.id, agent_id: entry.agent_id, arguments: entry.arguments, result: entry.result, error: entry.error }, null, 2)}
        </pre>
      )}
    </li>
  );
}
