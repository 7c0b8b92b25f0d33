// Tasks that finished since your last visit.
import { useRef } from "react";
import { Link } from "react-router";

import type { OverviewRecord } from "@/api/types";
import { useLastVisit } from "@/features/shell/last-visit";
import { Card, LineCounts, ShowNewButton, Time } from "@/ui/basics";
import { plural, span } from "@/ui/format";
import { useNow } from "@/ui/hooks/use-server-clock";
import { useStableRows } from "@/ui/hooks/use-stable-rows";
import { Empty } from "@/ui/query-states";
import { statusFor, TASK } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";

const SHOWN = 9;

export function RecentlyFinished({ overview }: { overview: OverviewRecord }) {
  const list = useRef<HTMLUListElement>(null);
  const { shown, fresh, show } = useStableRows(overview.ended.slice(0, SHOWN), list);
  return (
    <Card title={<FinishedTitle />} count={overview.ended_total} className="finished">
      {overview.ended.length === 0 ? (
        <Empty title="Nothing finished yet">Completed, failed and skipped tasks appear here.</Empty>
      ) : (
        <>
          <ShowNewButton count={fresh} show={show} />
          <ul className="lined" ref={list}>
            {shown.map((task) => (
              <li key={task.id} className="row">
                <StatusIcon status={statusFor(TASK, task.state)} />
                <div className="words">
                  <Link to={`/tasks/${task.id}`} className="two-lines">
                    {task.name}
                  </Link>
                  <div className="meta cut">{[task.agent, task.mission_name].filter(Boolean).join(" · ")}</div>
                </div>
                <div className="when">
                  <span className="meta">
                    <Time at={task.completed_at} />
                  </span>
                  {task.files !== null && task.files > 0 && (
                    <span className="meta">
                      {task.added !== null ? <LineCounts of={task} /> : plural(task.files, "file")}
                    </span>
                  )}
                </div>
              </li>
            ))}
          </ul>
        </>
      )}
    </Card>
  );
}

/** `Finished since you left 38 min ago` */
function FinishedTitle() {
  const { left, known } = useLastVisit();
  const seconds = (useNow() - Date.parse(left)) / 1_000;
  return <>{known ? `Finished since you left ${span(seconds)} ago` : `Finished in the last ${span(seconds)}`}</>;
}
