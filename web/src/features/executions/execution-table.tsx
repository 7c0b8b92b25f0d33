// Executions as a table.
import { Link } from "react-router";

import type { RunGlance } from "@/api/types";
import { costOf, lastActivity, secondsOf, shownStatus, tokensOf } from "@/features/shell/executions/execution-status";
import { span } from "@/ui/format";
import { useChangeHighlight } from "@/ui/hooks/use-change-highlight";
import { useNow } from "@/ui/hooks/use-server-clock";
import { StatusIcon } from "@/ui/status/status-icon";

export function ExecutionTable({ rows, id, search }: { rows: RunGlance[]; id: string | undefined; search: string }) {
  return (
    <section className="card" data-scrolls>
      <table className="runs">
        <thead>
          <tr>
            <th scope="col">Agent</th>
            <th scope="col">Task</th>
            <th scope="col">Mission</th>
            <th scope="col">Client</th>
            <th scope="col" className="num">
              Time
            </th>
            <th scope="col" className="num">
              Tokens
            </th>
            <th scope="col" className="num">
              Cost
            </th>
            <th scope="col" className="num">
              Last output
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((each) => (
            <Row key={each.id} execution={each} chosen={each.id === id} search={search} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Row({ execution, chosen, search }: { execution: RunGlance; chosen: boolean; search: string }) {
  const now = useNow();
  const last = lastActivity(execution, null, now);
  const row = useChangeHighlight<HTMLTableRowElement>(shownStatus(execution).word);
  return (
    <tr ref={row} data-chosen={chosen || undefined}>
      <th scope="row">
        <StatusIcon status={shownStatus(execution)} />{" "}
        <Link to={`/executions/${execution.id}${search}`} aria-current={chosen || undefined}>
          {execution.agent_name}
        </Link>
      </th>
      <td>
        <Link to={`/tasks/${execution.task_id}`}>{execution.task_name}</Link>
        {execution.question !== null && <div className="urgent">{execution.question}</div>}
      </td>
      <td className="quiet">{execution.mission_name}</td>
      <td className="quiet">{execution.adapter}</td>
      <td className="num">{span(secondsOf(execution, now))}</td>
      <td className="num">{tokensOf(execution).replace(" tokens", "") || "–"}</td>
      <td className="num">{costOf(execution) || "–"}</td>
      <td className={`num ${last.urgent ? "urgent" : ""}`}>{last.words}</td>
    </tr>
  );
}
