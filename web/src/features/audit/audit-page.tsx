// What was called, by whom, with what result.
import { useState } from "react";
import { useSearchParams } from "react-router";

import { useTool } from "@/api/queries";
import type { AuditEntry, ListAudit } from "@/api/types";
import { Card, Segmented, Time } from "@/ui/parts";
import { Empty, Loaded } from "@/ui/states";
import type { Status } from "@/ui/status";
import { StatusIcon } from "@/ui/status-icon";
import "../agents/agents.css";

const STATUS: Record<string, Status> = {
  ok: { shape: "disc-check", tone: "success", word: "Done" },
  error: { shape: "octagon", tone: "danger", word: "Refused" },
  denied: { shape: "ring-slash", tone: "muted", word: "Denied" },
};
const SHOWN = 200;
const SHOWS = [
  ["", "All"],
  ["ok", "Done"],
  ["error", "Refused"],
  ["denied", "Denied"],
] as const;

export function AuditPage() {
  const [address, setAddress] = useSearchParams();
  const status = address.get("status") ?? "";
  const tool = address.get("tool") ?? "";
  const args: ListAudit = {
    limit: 500,
    ...(status !== "" ? { status: status as "ok" } : {}),
    ...(tool !== "" ? { tool } : {}),
  };
  const audit = useTool("audit_list", args, { keep: true });
  const change = (name: string, value: string) =>
    setAddress((before) => {
      const next = new URLSearchParams(before);
      if (value === "") next.delete(name);
      else next.set(name, value);
      return next;
    });
  return (
    <div className="page">
      <title>Audit · Mission Control</title>
      <div className="page-head">
        <h1>Audit</h1>
        <div className="actions">
          <ToolField tool={tool} change={(value) => change("tool", value)} />
          <Segmented label="Which calls" options={SHOWS} value={status as ""} choose={(value) => change("status", value)} />
          <label className="tick">
            <input
              type="checkbox"
              checked={address.has("page")}
              onChange={(event) => change("page", event.target.checked ? "1" : "")}
            />
            with this page's looks
          </label>
          <button type="button" className="button" onClick={() => void audit.refetch()}>
            Read again
          </button>
        </div>
      </div>
      <Card title="Calls" aside="newest first" className="plain-table">
        <Loaded query={audit} what="The audit could not be read">
          {(data) =>
            data.entries.length === 0 ? (
              <Empty title="No call fits">Each call of a tool, by whatever door, stands here.</Empty>
            ) : (
              <table>
                <thead>
                  <tr>
                    <th>Tool</th>
                    <th>By</th>
                    <th className="wide-column">Arguments</th>
                    <th className="num">At</th>
                  </tr>
                </thead>
                <tbody>
                  {shown(data.entries, address.has("page")).map((entry) => (
                    <Row key={entry.id} entry={entry} />
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

const LOOKS = /^(overview|search|task_load_context)|_(list|get|observations|count_unread)$/;

/** What this page itself looks at stands in the audit like any call; here it would bury the rest. */
function shown(entries: AuditEntry[], withLooks: boolean): AuditEntry[] {
  const kept = entries.filter((entry) => withLooks || entry.transport !== "page" || !LOOKS.test(entry.tool));
  return kept.slice(0, SHOWN);
}

function ToolField({ tool, change }: { tool: string; change: (tool: string) => void }) {
  const [value, setValue] = useState(tool);
  return (
    <form onSubmit={(event) => (event.preventDefault(), change(value.trim()))}>
      <input
        className="field"
        type="search"
        aria-label="Name of a tool"
        placeholder="Name of a tool"
        value={value}
        onChange={(event) => setValue(event.target.value)}
      />
    </form>
  );
}

function Row({ entry }: { entry: AuditEntry }) {
  const message = entry.error?.["message"];
  return (
    <tr>
      <td>
        <StatusIcon status={STATUS[entry.status] ?? STATUS["ok"]!} /> <code>{entry.tool}</code>
        {typeof message === "string" && <div className="meta">{message}</div>}
      </td>
      <td className="quiet">
        {entry.agent_id ?? entry.caller} <span className="meta">{entry.transport}</span>
      </td>
      <td className="wide-column">
        <code>{JSON.stringify(entry.arguments).slice(0, 160)}</code>
      </td>
      <td className="num quiet">
        <Time at={entry.at} />
      </td>
    </tr>
  );
}
