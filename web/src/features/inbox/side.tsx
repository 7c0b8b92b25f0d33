// Beside the item that is chosen: what it holds up, what was decided before, what was answered.
import { Link } from "react-router";

import { useTool } from "@/api/queries";
import type { ItemRow } from "@/api/types";
import { TailLines, useTail } from "@/features/executions/tail-lines";
import { doneAbout } from "@/features/mission/graph/path";
import { serverNow } from "@/ui/clock";
import { Icon } from "@/ui/icons";
import { Long } from "@/ui/long";
import { Card, Time } from "@/ui/parts";
import { Loaded } from "@/ui/states";
import { look, QUEUE, TASK } from "@/ui/status";
import { StatusIcon } from "@/ui/status-icon";
import { clockTime } from "@/ui/text";
import { heldBehind } from "./held";

const SHOWN = 6;

export function HoldsUp({ missionId, taskId }: { missionId: string; taskId: string }) {
  const mission = useTool("overview_mission", { mission_id: missionId });
  const tasks = mission.data?.tasks ?? [];
  const own = tasks.filter((task) => task.id === taskId);
  const held = [...own, ...heldBehind(tasks, taskId)];
  return (
    <Card title="What this holds up" count={held.length} {...(own[0]?.critical ? { aside: "critical path" } : {})} className="holds-up">
      <Loaded query={mission} what="The mission could not be read" rows={2}>
        {(data) => (
          <>
            <ul className="side-list">
              {held.slice(0, SHOWN).map((task) => (
                <li key={task.id}>
                  <StatusIcon status={look(TASK, task.state)} size={14} />
                  <Link to={`/tasks/${task.id}`}>{task.name}</Link>
                </li>
              ))}
            </ul>
            {held.length > SHOWN && <p className="side-words">and {held.length - SHOWN} more</p>}
            {own[0]?.critical && <Moves at={doneAbout(data)} />}
          </>
        )}
      </Loaded>
    </Card>
  );
}

function Moves({ at }: { at: string | null }) {
  if (at === null) return null;
  return (
    <p className="side-words">Answered now, done about {clockTime(at, serverNow())}. Every minute of waiting moves it by one.</p>
  );
}

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
