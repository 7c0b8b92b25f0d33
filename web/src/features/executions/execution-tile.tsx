// An execution as a tile with its last six lines, which load only while it is visible.
import { useEffect, useRef, useState } from "react";
import { Link } from "react-router";

import type { RunGlance } from "@/api/types";
import { costOf, lastActivity, shownStatus, tokensOf } from "@/features/shell/executions/execution-status";
import { LastLinesView, useLastLines } from "@/features/shell/terminal/last-lines-view";
import { useNow } from "@/ui/hooks/use-server-clock";
import { StatusIcon } from "@/ui/status/status-icon";

export function ExecutionTile({
  execution,
  chosen,
  search,
}: {
  execution: RunGlance;
  chosen: boolean;
  search: string;
}) {
  const box = useRef<HTMLLIElement>(null);
  const seen = useInSight(box);
  const { lines, at, loaded } = useLastLines(execution.id, seen);
  const now = useNow();
  const status = shownStatus(execution);
  const last = lastActivity(execution, at, now);
  return (
    <li
      ref={box}
      className={`tile card tone-${status.tone}`}
      data-chosen={chosen || undefined}
      data-status={execution.status}
    >
      <Link to={`/executions/${execution.id}${search}`} aria-current={chosen || undefined}>
        <span className="tile-head">
          <StatusIcon status={status} />
          <strong className="cut">{execution.agent_name}</strong>{" "}
          <span className="cut quiet">{execution.task_name}</span>
        </span>
      </Link>
      <pre aria-hidden="true" className="tail">
        <LastLinesView lines={lines} loaded={loaded} />
      </pre>
      {execution.question !== null && <p className="tile-question">{execution.question}</p>}
      <span className="tile-foot meta">
        <span>{execution.adapter}</span>
        <span>{costOf(execution) || tokensOf(execution)}</span>
        <span className={last.urgent ? "urgent" : ""}>{last.words}</span>
      </span>
    </li>
  );
}

function useInSight(box: React.RefObject<HTMLElement | null>): boolean {
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    const watch = new IntersectionObserver(([entry]) => setSeen(entry?.isIntersecting ?? false), {
      rootMargin: "100px",
    });
    watch.observe(box.current!);
    return () => watch.disconnect();
  }, [box]);
  return seen;
}
