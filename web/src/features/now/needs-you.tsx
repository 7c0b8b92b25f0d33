// What waits for a person, the most urgent first; choices stand on the row.
import { useMemo, useRef } from "react";
import { Link, useNavigate } from "react-router";

import type { ItemRow } from "@/api/types";
import { actsOf, canReassign, closeReassigned } from "@/features/inbox/quick-actions";
import { choicesOf, holdsWords } from "@/features/inbox/answering/answer-draft";
import { outbox, useLetters, type Letter } from "@/features/inbox/answering/outbox";
import { SentLine, SentLines } from "@/features/inbox/answering/sent-answers";
import { useWaiting } from "@/features/shell/use-overview";
import { useKeys } from "@/features/shell/keyboard-shortcuts";
import { Reassign } from "@/features/task/task-actions";
import { useOnline } from "@/live/live-connection";
import { useNow } from "@/ui/hooks/use-server-clock";
import { Card, Fresh } from "@/ui/basics";
import { Empty, Loaded } from "@/ui/query-states";
import { look, QUEUE } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";
import { useChosen, useSteady } from "@/ui/hooks/use-stable-rows";
import { span } from "@/ui/format";
import { useTint } from "@/ui/hooks/use-change-highlight";

const SHOWN = 8;
const LONGEST_LABEL = 28;

export function NeedsYou() {
  const waiting = useWaiting();
  const list = useRef<HTMLUListElement>(null);
  const { shown, fresh, show } = useSteady(waiting.data?.items ?? [], list);
  const items = shown.slice(0, SHOWN);
  const letters = useLetters();
  const { chosen } = useNeedsKeys(items);
  return (
    <Card title="Needs you" count={waiting.data?.total ?? 0} aside="critical path first, then most held up" className="needs">
      <SentLines open={waiting.data?.items ?? []} />
      <Loaded query={waiting} what="What waits for you could not be read">
        {(data) =>
          data.items.length === 0 ? (
            <Empty title="Nothing waits for you">Questions, blockers, reviews and failures of agents appear here, with the tasks they hold up.</Empty>
          ) : (
            <>
              <Fresh count={fresh} show={show} />
              <ul ref={list} className="lined">
                {items.map((item) => (
                  <Row key={item.id} item={item} chosen={item === chosen} letter={letters.find((each) => each.item.id === item.id)} />
                ))}
                {data.total > items.length && (
                  <li className="more">
                    <Link to="/inbox">{data.total - items.length} more in the inbox</Link>
                  </li>
                )}
              </ul>
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

function useNeedsKeys(items: ItemRow[]): { chosen: ItemRow | undefined } {
  const { chosen, place, choose } = useChosen(items);
  const navigate = useNavigate();
  const online = useOnline();
  useKeys(
    useMemo(() => {
      const move = (step: number) => {
        const next = items[Math.max(0, Math.min(place + step, items.length - 1))];
        if (next !== undefined) choose(next.id);
      };
      const answer = (event: KeyboardEvent) => chosen !== undefined && online && give(chosen, Number(event.key));
      return {
        j: () => move(1),
        k: () => move(-1),
        Enter: (event) => {
          if (chosen !== undefined && event.target === document.body) void navigate(`/inbox?item=${chosen.id}`);
        },
        ...Object.fromEntries([1, 2, 3, 4, 5, 6].map((number) => [String(number), answer])),
      };
    }, [items, chosen, place, choose, navigate, online]),
  );
  return { chosen };
}

/** Answer by a choice that is complete by itself. */
function give(item: ItemRow, number: number): void {
  const choice = choicesOf(item).find((each) => each.number === number);
  if (choice?.fixed) outbox.put(item, { kind: "answer", args: { id: item.id, choice: number } }, choice.label);
}

interface RowProps {
  item: ItemRow;
  chosen: boolean;
  letter: Letter | undefined;
}

function Row({ item, chosen, letter }: RowProps) {
  const now = useNow();
  const online = useOnline();
  const by = [item.agent_name, item.task_name].filter(Boolean).join(" · ");
  const short = actsOf(item).filter((act) => act.label.length <= LONGEST_LABEL);
  const row = useTint<HTMLLIElement>(`${item.count} ${item.holds_tasks} ${item.holds_agents} ${item.critical}`);
  return (
    <li className="need" ref={row} data-chosen={chosen || undefined}>
      <StatusIcon status={look(QUEUE, item.kind)} />
      <div className="words">
        <Link to={`/inbox?item=${item.id}`} className="subject two-lines">
          {item.subject}
        </Link>
        <div className="meta cut">{by || item.mission_name || look(QUEUE, item.kind).word}</div>
      </div>
      {letter !== undefined ? (
        <SentLine letter={letter} />
      ) : (
        <>
          <div className="holds quiet">
            {holdsWords(item)}
            {item.critical && <span className="critical"> · critical path</span>}
          </div>
          <div className="age quiet">{span((now - Date.parse(item.created_at)) / 1_000)}</div>
          <div className="actions">
            {short.map((act) => (
              <button
                key={act.label}
                type="button"
                className="button small"
                disabled={!online}
                onClick={() => outbox.put(item, act.wish, act.words)}
              >
                {chosen && act.number !== null && <kbd aria-hidden="true">{act.number}</kbd>} {act.label}
              </button>
            ))}
            {canReassign(item) && <Reassign taskId={item.task_id!} done={() => closeReassigned(item)} small />}
            <Link className="button small" to={`/inbox?item=${item.id}`}>
              {short.length > 0 ? "…" : item.kind === "review" ? "Review" : "Answer"}
              <span className="hidden"> {item.subject}</span>
            </Link>
          </div>
        </>
      )}
    </li>
  );
}
