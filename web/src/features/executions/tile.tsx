// A terminal in small: its last six lines, fetched only while it is in sight.
import { useEffect, useRef, useState } from "react";
import { Link } from "react-router";

import { useTool } from "@/api/queries";
import type { ExecutionRecord } from "@/api/types";
import { useNow } from "@/ui/clock";
import { StatusIcon } from "@/ui/status-icon";
import { costOf, heard, statusOf } from "./look";
import { keepTail, lastLines } from "./tail";
import { TerminalSocket } from "./terminal-socket";

const LINES = 6;

export function Tile({ execution, chosen, search }: { execution: ExecutionRecord; chosen: boolean; search: string }) {
  const box = useRef<HTMLLIElement>(null);
  const seen = useInSight(box);
  const names = useTool("execution_get", { id: execution.id }, { enabled: seen }).data;
  const { lines, at } = useTail(execution.id, seen);
  const now = useNow();
  const status = statusOf(execution);
  const last = heard(execution, at, now);
  return (
    <li ref={box} className={`tile tone-${status.tone}`} data-chosen={chosen || undefined} data-status={execution.status}>
      <Link to={`/executions/${execution.id}${search}`} aria-current={chosen || undefined}>
        <span className="tile-head">
          <StatusIcon status={status} />
          <strong>{names?.agent_name ?? execution.adapter}</strong> <span className="cut quiet">{names?.task_name}</span>
        </span>
      </Link>
      <pre aria-hidden="true">{lines.join("\n")}</pre>
      <span className="tile-foot meta">
        <span>{execution.adapter}</span>
        <span>{costOf(execution)}</span>
        <span className={last.silent ? "silent" : ""}>{last.words}</span>
      </span>
    </li>
  );
}

function useInSight(box: React.RefObject<HTMLElement | null>): boolean {
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    const watch = new IntersectionObserver(([entry]) => setSeen(entry?.isIntersecting ?? false), { rootMargin: "100px" });
    watch.observe(box.current!);
    return () => watch.disconnect();
  }, [box]);
  return seen;
}

const DRAW_EVERY = 250;

/** The last lines of an execution, as they come while it is in sight. */
export function useTail(id: string, seen: boolean): { lines: string[]; at: number | null } {
  const [shown, show] = useState<{ lines: string[]; at: number | null }>({ lines: [], at: null });
  useEffect(() => {
    if (!seen) return;
    let text = "";
    let first = true;
    let at: number | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const draw = () => {
      timer = undefined;
      show({ lines: lastLines(text, LINES), at });
    };
    const socket = new TerminalSocket(id, {
      attached: () => {
        text = "";
        first = true;
      },
      output: (more) => {
        text = keepTail(text, more);
        if (!first) at = Date.now();
        first = false;
        timer ??= setTimeout(draw, DRAW_EVERY);
      },
      ended: () => undefined,
      refused: () => undefined,
      lost: () => undefined,
    });
    return () => {
      clearTimeout(timer);
      socket.close();
    };
  }, [id, seen]);
  return shown;
}
