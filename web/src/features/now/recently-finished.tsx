// What ended since the person left.
import { useRef } from "react";
import { Link } from "react-router";

import type { OverviewRecord } from "@/api/types";
import { leftAt } from "@/features/shell/last-visit";
import { Card, Fresh, Time } from "@/ui/basics";
import { Empty } from "@/ui/query-states";
import { look, TASK } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";
import { useSteady } from "@/ui/hooks/use-stable-rows";
import { plural } from "@/ui/format";

const SHOWN = 9;

export function Finished({ overview }: { overview: OverviewRecord }) {
  const list = useRef<HTMLUListElement>(null);
  const { shown, fresh, show } = useSteady(overview.ended.slice(0, SHOWN), list);
  return (
    <Card
      title={
        <>
          Finished since <Time at={leftAt} />
        </>
      }
      count={overview.ended_total}
      className="finished"
    >
      {overview.ended.length === 0 ? (
        <Empty title="Nothing has ended yet">Tasks that are completed, failed or skipped appear here.</Empty>
      ) : (
        <>
          <Fresh count={fresh} show={show} />
          <ul className="lined" ref={list}>
            {shown.map((task) => (
              <li key={task.id} className="row">
                <StatusIcon status={look(TASK, task.state)} />
                <div className="words">
                  <Link to={`/tasks/${task.id}`} className="two-lines">
                    {task.name}
                  </Link>
                  <div className="meta cut">
                    {[task.agent, task.mission_name].filter(Boolean).join(" · ")}
                  </div>
                </div>
                <div className="when">
                  <span className="meta">
                    <Time at={task.completed_at} />
                  </span>
                  {task.files !== null && task.files > 0 && <span className="meta">{plural(task.files, "file")}</span>}
                </div>
              </li>
            ))}
          </ul>
        </>
      )}
    </Card>
  );
}
