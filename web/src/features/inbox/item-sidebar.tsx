// Next to the selected item: the agent's last output and earlier decisions. Also the row of a closed item.
import { Link } from "react-router";

import type { ItemRow } from "@/api/types";
import { useTool } from "@/api/use-tool";
import { Card, Time } from "@/ui/basics";
import { ExpandableText } from "@/ui/expandable-text";
import { Icon } from "@/ui/icons";
import { QUEUE, statusFor } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";

const SHOWN = 6;

export function EarlierDecisions({ missionId }: { missionId: string }) {
  const journal = useTool("overview_journal", { mission_id: missionId, limit: 100 });
  const decisions = (journal.data?.entries ?? []).filter((entry) => entry.kind === "decision").slice(0, SHOWN);
  if (decisions.length === 0) return null;
  return (
    <Card title="Earlier decisions" aside="same mission">
      <ul className="side-list">
        {decisions.map((entry) => (
          <li key={entry.id}>
            <span className="meta">
              <Time at={entry.created_at} />
            </span>
            <Icon name="decision" size={14} />
            <span>
              <ExpandableText text={entry.summary} maxLength={200} /> <span className="meta">{entry.author}</span>
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

export function ClosedItem({ item }: { item: ItemRow }) {
  return (
    <article className="closed row">
      <StatusIcon status={item.state === "answered" ? ANSWERED : DISMISSED} />
      <div className="words">
        <p className="subject">{item.subject}</p>
        <p className="quiet">
          <ExpandableText text={item.answer ?? "No answer"} maxLength={300} />
        </p>
        <p className="meta">
          {statusFor(QUEUE, item.kind).word}
          {item.agent_name !== null && ` · ${item.agent_name}`}
          {item.task_id !== null && item.task_name !== null && (
            <>
              {" · "}
              <Link to={`/tasks/${item.task_id}`}>{item.task_name}</Link>
            </>
          )}
          {item.closed_by === "system" && " · no longer needed"}
        </p>
      </div>
      <span className="meta">{item.closed_at !== null && <Time at={item.closed_at} />}</span>
    </article>
  );
}

const ANSWERED = { shape: "disc-check", tone: "success", word: "Answered" } as const;
const DISMISSED = { shape: "ring-slash", tone: "muted", word: "Dismissed" } as const;
