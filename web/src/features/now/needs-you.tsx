// The most urgent inbox items, with their choices on the row.
import { useMemo, useRef } from "react";
import { Link, useNavigate } from "react-router";

import type { ItemRow } from "@/api/types";
import { choicesOf, describeBlocked } from "@/features/shell/answering/answer-draft";
import { type OutgoingAnswer, outbox, useOutgoingAnswers } from "@/features/shell/answering/outbox";
import { canReassign, closeReassigned, mustBeOpened, quickActionsFor } from "@/features/shell/answering/quick-actions";
import { SentLine, SentLines } from "@/features/shell/answering/sent-answers";
import { useKeys } from "@/features/shell/keyboard/keyboard-shortcuts";
import { ReassignButton } from "@/features/shell/tasks/assign-form";
import { useInbox } from "@/features/shell/use-overview";
import { useOnline } from "@/live/live-connection";
import { Card, ShowNewButton } from "@/ui/basics";
import { span } from "@/ui/format";
import { useChangeHighlight } from "@/ui/hooks/use-change-highlight";
import { useNow } from "@/ui/hooks/use-server-clock";
import { useSelectedRow, useStableRows } from "@/ui/hooks/use-stable-rows";
import { Empty, Loaded } from "@/ui/query-states";
import { QUEUE, statusFor } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";

const SHOWN = 8;
const MAX_LABEL_LENGTH = 28;

export function NeedsYou() {
  const waiting = useInbox();
  const list = useRef<HTMLUListElement>(null);
  const { shown, fresh, show } = useStableRows(waiting.data?.items ?? [], list);
  const items = shown.slice(0, SHOWN);
  const outgoingAnswers = useOutgoingAnswers();
  const { chosen } = useNeedsKeys(items);
  return (
    <Card
      title="Needs you"
      count={waiting.data?.total ?? 0}
      aside="critical path first, then most blocking"
      className="needs"
    >
      <SentLines open={waiting.data?.items ?? []} />
      <Loaded query={waiting} what="your inbox">
        {(data) =>
          data.items.length === 0 ? (
            <Empty title="Your inbox is empty">
              Questions, blockers, reviews and failures from agents appear here, with the tasks they block.
            </Empty>
          ) : (
            <>
              <ShowNewButton count={fresh} show={show} />
              <ul ref={list} className="lined">
                {items.map((item) => (
                  <Row
                    key={item.id}
                    item={item}
                    chosen={item === chosen}
                    outgoing={outgoingAnswers.find((each) => each.item.id === item.id)}
                  />
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
  const { chosen, place, choose } = useSelectedRow(items);
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

/** Answer with a choice that needs no text. */
function give(item: ItemRow, number: number): void {
  if (mustBeOpened(item)) return;
  const choice = choicesOf(item).find((each) => each.number === number);
  if (choice?.fixed) outbox.put(item, { kind: "answer", args: { id: item.id, choice: number } }, choice.label);
}

interface RowProps {
  item: ItemRow;
  chosen: boolean;
  outgoing: OutgoingAnswer | undefined;
}

function Row({ item, chosen, outgoing }: RowProps) {
  const now = useNow();
  const online = useOnline();
  const by = [item.agent_name, item.task_name].filter(Boolean).join(" · ");
  const short = quickActionsFor(item).filter((act) => act.label.length <= MAX_LABEL_LENGTH);
  const row = useChangeHighlight<HTMLLIElement>(
    `${item.count} ${item.holds_tasks} ${item.holds_agents} ${item.critical}`,
  );
  return (
    <li className="need" ref={row} data-chosen={chosen || undefined}>
      <StatusIcon status={statusFor(QUEUE, item.kind)} />
      <div className="words">
        <Link to={`/inbox?item=${item.id}`} className="subject cut" title={item.subject}>
          {item.subject}
        </Link>
        <div className="meta cut">
          {by || item.mission_name || statusFor(QUEUE, item.kind).word}
          {item.critical && <span className="critical"> · critical path</span>}
        </div>
      </div>
      {outgoing !== undefined ? (
        <SentLine outgoing={outgoing} />
      ) : (
        <>
          <div className="holds quiet">{describeBlocked(item)}</div>
          <div className="age quiet">{span((now - Date.parse(item.created_at)) / 1_000)}</div>
          <div className="actions">
            {short.map((act) => (
              <button
                key={act.label}
                type="button"
                className="button small"
                disabled={!online}
                onClick={() => outbox.put(item, act.action, act.words)}
              >
                {chosen && act.number !== null && <kbd aria-hidden="true">{act.number}</kbd>} {act.label}
              </button>
            ))}
            {canReassign(item) && <ReassignButton taskId={item.task_id!} done={() => closeReassigned(item)} small />}
            <Link className="button small" to={`/inbox?item=${item.id}`}>
              {short.length > 0 ? "…" : item.kind !== "run" && mustBeOpened(item) ? "Review" : "Answer"}
              <span className="hidden"> {item.subject}</span>
            </Link>
          </div>
        </>
      )}
    </li>
  );
}
