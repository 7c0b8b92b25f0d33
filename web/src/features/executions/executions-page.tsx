// The launched agents: those that need a person first, then in the order of their launch.
import { Link, useSearchParams } from "react-router";

import { useTool } from "@/api/queries";
import type { ExecutionRecord } from "@/api/types";
import { Ago, Card, Segmented } from "@/ui/parts";
import { Empty, Loaded } from "@/ui/states";
import { EXECUTION, look, type Status } from "@/ui/status";
import { StatusIcon } from "@/ui/status-icon";
import { amount, span } from "@/ui/text";
import "../agents/agents.css";
import "../mission/mission.css";
import "./executions.css";

const LIVE = ["starting", "running", "waiting"] as const;
const ENDED = ["completed", "failed", "stopped", "lost"] as const;

export function ExecutionsPage() {
  const [address, setAddress] = useSearchParams();
  const ended = address.get("show") === "ended";
  const list = useTool("execution_list", { status: ended ? [...ENDED] : [...LIVE], limit: 100 }, { keep: true });
  return (
    <div className="page">
      <title>Executions · Mission Control</title>
      <div className="page-head">
        <h1>Executions</h1>
        <div className="actions">
          <Segmented
            label="Which executions"
            value={ended ? "ended" : "live"}
            choose={(value) => setAddress(value === "ended" ? { show: "ended" } : {})}
            options={[
              ["live", "Live"],
              ["ended", "Ended"],
            ]}
          />
        </div>
      </div>
      <Card title={ended ? "Ended" : "Live"} count={list.data?.executions.length ?? 0} className="agents">
        <Loaded query={list} what="The executions could not be read">
          {(data) =>
            data.executions.length === 0 ? (
              <Empty title={ended ? "None has ended yet" : "Nothing runs"} actions={<code>mission launch TASK --adapter claude-code</code>}>
                An execution is one launch of an agent on a task. Its terminal, signals and cost are kept.
              </Empty>
            ) : (
              <table>
                <thead>
                  <tr>
                    <th>Execution</th>
                    <th>Last signal</th>
                    <th className="role">Used</th>
                    <th className="num">{ended ? "Took" : "Last change"}</th>
                  </tr>
                </thead>
                <tbody>
                  {sorted(data.executions).map((run) => (
                    <tr key={run.id}>
                      <td>
                        <StatusIcon status={statusOf(run)} /> <Link to={`/executions/${run.id}`}>{run.adapter}</Link>
                        <div className="meta">{run.id}</div>
                      </td>
                      <td className="quiet">{lastWords(run)}</td>
                      <td className="role quiet">{used(run)}</td>
                      <td className="num quiet">
                        {ended && run.duration_seconds !== null ? span(run.duration_seconds) : <Ago at={run.updated_at} />}
                      </td>
                    </tr>
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

export function statusOf(run: { status: string; exit_code: number | null }): Status {
  if (run.status === "completed") return { ...look(EXECUTION, "exited"), word: `Exited ${run.exit_code ?? 0}` };
  if (run.status === "failed" && run.exit_code !== null) return { ...look(EXECUTION, "failed"), word: `Exited ${run.exit_code}` };
  return look(EXECUTION, run.status);
}

function sorted(runs: ExecutionRecord[]): ExecutionRecord[] {
  return runs.toSorted((one, other) => Number(other.status === "waiting") - Number(one.status === "waiting"));
}

export function lastWords(run: ExecutionRecord): string {
  const words = run.claim?.["summary"] ?? run.claim?.["reason"] ?? run.progress?.["summary"] ?? run.reason;
  return typeof words === "string" ? words : "";
}

export function used(run: { usage: Record<string, unknown> | null }): string {
  const usage = run.usage ?? {};
  const number = (name: string) => (typeof usage[name] === "number" ? (usage[name] as number) : 0);
  const tokens = number("input_tokens") + number("output_tokens") || number("tokens");
  const cost = number("cost_usd") || number("cost");
  return [tokens > 0 ? `${amount(tokens)} tokens` : "", cost > 0 ? `$${cost.toFixed(2)}` : ""].filter(Boolean).join(" · ");
}
