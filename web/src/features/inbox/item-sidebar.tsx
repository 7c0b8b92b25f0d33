// Beside the item that is chosen: its agent's last lines, what was decided before, what was answered.
import { Link } from "react-router";

import { useTool } from "@/api/use-tool";
import type { ItemRow } from "@/api/types";
import { TailLines, useTail } from "@/features/executions/terminal/last-lines-view";
import { Icon } from "@/ui/icons";
import { Long } from "@/ui/expandable-text";
import { Card, Time } from "@/ui/basics";
import { look, QUEUE } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";

const SHOWN = 6;

export function LastLines({ executionId, name }: { executionId: string; name: string }) {
  const { lines } = useTail(executionId, true);
  return (
    <Card title={`${name}, last lines`} aside={<Link to={`/executions/${executionId}`}>Open terminal</Link>} className="last-lines">
      <pre tabIndex={0} className="tail">
        <TailLines lines={lines} />
      </pre>
    </Card>
  );
}

export function DecidedBefore({ missionId }: { missionId: string }) {
  const journal = useTool("overview_journal", { mission_id: missionId, limit: 100 });
  const decisions = (journal.data?.entries ?? []).filter((entry) => entry.kind === "decision").slice(0, SHOWN);
  if (decisions.length === 0) return null;
  return (
    <Card title="Decided before" aside="same mission">
      <ul className="side-list">
        {decisions.map((entry) => (
          <li key={entry.id}>
            <span className="meta">
              <Time at={entry.created_at} />
            </span>
            <Icon name="decision" size={14} />
            <span>
              <Long text={entry.summary} most={200} /> <span className="meta">{entry.author}</span>
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

export function Closed({ item }: { item: ItemRow }) {
  return (
    <article className="closed row">
      <StatusIcon status={item.state === "answered" ? ANSWERED : PUT_ASIDE} />
      <div className="words">
        <p className="subject">{item.subject}</p>
        <p className="quiet">
          <Long text={item.answer ?? "without an answer"} most={300} />
        </p>
        <p className="meta">
          {look(QUEUE, item.kind).word}
          {item.agent_name !== null && ` · ${item.agent_name}`}
          {item.task_id !== null && item.task_name !== null && (
            <>
              {" · "}
              <Link to={`/tasks/${item.task_id}`}>{item.task_name}</Link>
            </>
          )}
          {item.closed_by === "system" && " · nobody waits for it any more"}
        </p>
      </div>
      <span className="meta">{item.closed_at !== null && <Time at={item.closed_at} />}</span>
    </article>
  );
}

const ANSWERED = { shape: "disc-check", tone: "success", word: "Answered" } as const;
const PUT_ASIDE = { shape: "ring-slash", tone: "muted", word: "Put aside" } as const;
