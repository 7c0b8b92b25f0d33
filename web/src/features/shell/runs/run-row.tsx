// One run in a list: its state, mission, progress and age.
import { Link } from "react-router";

import type { RunRow as Row } from "@/api/types";
import { Ago } from "@/ui/basics";
import { useChangeHighlight } from "@/ui/hooks/use-change-highlight";
import { StatusIcon } from "@/ui/status/status-icon";
import { describeRun, runStatus } from "./run-status";

export function RunRow({ run }: { run: Row }) {
  const row = useChangeHighlight<HTMLLIElement>(`${run.state} ${run.tasks_completed} ${run.questions}`);
  const status = runStatus(run, run.questions);
  return (
    <li className="row run-row" ref={row}>
      <StatusIcon status={status} decorative />
      <div className="words">
        <Link to={`/runs/${run.run_id}`}>{run.mission_name}</Link>
        <div className="meta">
          {status.word} · {describeRun(run)}
          {run.reason !== null && <> · {run.reason}</>}
        </div>
      </div>
      <span className="quiet">
        {run.ended_at !== null ? "ended" : "started"} <Ago at={run.ended_at ?? run.created_at} />
      </span>
    </li>
  );
}
