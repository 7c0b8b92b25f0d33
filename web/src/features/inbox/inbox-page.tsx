// All that waits for a person, ranked by what it holds up; answered where it is read.
import { useEffect, useMemo, useRef, useState } from "react";
import { useNavigate, useSearchParams } from "react-router";

import { useTool } from "@/api/use-tool";
import type { ItemRow } from "@/api/types";
import { useStandingStill, useWaiting } from "@/features/shell/use-overview";
import { useKeys } from "@/features/shell/keyboard-shortcuts";
import { Fresh, Segmented } from "@/ui/basics";
import { Empty, Loaded } from "@/ui/query-states";
import { useChosen, useSteady } from "@/ui/hooks/use-stable-rows";
import { plural } from "@/ui/format";
import { answerKeys } from "./answering/answer-keys";
import { BLANK, type Draft } from "./answering/answer-draft";
import { HoldsUp } from "./blocked-tasks-graph";
import { ItemCard } from "./item-card";
import { Mail, useMail } from "./messages/message-threads";
import { NotifySwitch } from "./notifications/browser-notifications";
import { useLetters } from "./answering/outbox";
import { SentLines } from "./answering/sent-answers";
import { Closed, DecidedBefore, LastLines } from "./item-sidebar";
import "./inbox.css";

type Show = "open" | "answered" | "mail";

export function InboxPage() {
  const [address, setAddress] = useSearchParams();
  const show = (address.get("show") ?? "open") as Show;
  const waiting = useWaiting();
  const mail = useMail();
  const still = useStandingStill();
  return (
    <div className="page inbox">
      <title>Inbox · Mission Control</title>
      <div className="page-head">
        <h1>Inbox</h1>
        <span className="quiet">
          {waiting.data !== undefined && `${waiting.data.total} ${waiting.data.total === 1 ? "waits" : "wait"} for you`}
          {still > 0 && ` · ${plural(still, "agent")} ${still === 1 ? "stands" : "stand"} still`}
        </span>
        <div className="actions">
          <NotifySwitch />
          <Segmented
            label="Which part of the inbox"
            value={show}
            choose={(value) => setAddress(value === "open" ? {} : { show: value })}
            options={[
              ["open", `Open ${waiting.data?.total ?? ""}`],
              ["answered", "Answered"],
              ["mail", mail.data !== undefined && mail.data.unread_count > 0 ? `Mail ${mail.data.unread_count}` : "Mail"],
            ]}
          />
          <span className="meta keys-hint" aria-hidden="true">
            <kbd>j</kbd> <kbd>k</kbd> move · <kbd>1</kbd>–<kbd>6</kbd> choose · <kbd>e</kbd> write · <kbd>⏎</kbd> send
          </span>
        </div>
      </div>
      {show === "open" && <Open />}
      {show === "answered" && <Answered />}
      {show === "mail" && (
        <Mail thread={address.get("thread")} choose={(thread) => setAddress({ show: "mail", thread }, { replace: true })} />
      )}
    </div>
  );
}

function Open() {
  const waiting = useWaiting();
  return (
    <Loaded query={waiting} what="What waits for you could not be read" rows={8}>
      {(data) => <Items items={data.items} total={data.total} />}
    </Loaded>
  );
}

function Items({ items, total }: { items: ItemRow[]; total: number }) {
  const [address, setAddress] = useSearchParams();
  const [drafts, setDrafts] = useState<Record<string, Draft>>({});
  const field = useRef<HTMLTextAreaElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const letters = useLetters();
  const { shown, fresh, show } = useSteady(items, list);
  const named = address.get("item");
  const { chosen, place } = useChosen(shown, named);
  const choose = (id: string) => id !== chosen?.id && setAddress({ item: id }, { replace: true });
  const change = (id: string, draft: Draft) => setDrafts((before) => ({ ...before, [id]: draft }));
  useInboxKeys({ items: shown, row: place, field, choose, draft: drafts[chosen?.id ?? ""] ?? BLANK, change });
  useEffect(() => {
    if (chosen !== undefined && chosen.id === named)
      document.querySelector(`[data-item="${chosen.id}"]`)?.scrollIntoView?.({ block: "nearest" });
  }, [chosen, named]);
  return (
    <div className="columns">
      <div>
        <SentLines open={items} />
        {named !== null && !items.some((item) => item.id === named) && <NoLonger id={named} />}
        <Fresh count={fresh} show={show} />
        {items.length === 0 ? (
          <section className="card">
            <Empty title="Nothing waits for you">
              Questions, blockers, reviews and failures of agents appear here, with the tasks they hold up.
            </Empty>
          </section>
        ) : (
          <ul className="items" ref={list}>
            {shown.map((item) => (
              <ItemCard
                key={item.id}
                item={item}
                chosen={item.id === chosen?.id}
                draft={drafts[item.id] ?? BLANK}
                change={(draft) => change(item.id, draft)}
                choose={() => choose(item.id)}
                letter={letters.find((each) => each.item.id === item.id)}
                field={field}
              />
            ))}
          </ul>
        )}
        {total > items.length && <p className="quiet">{total - items.length} more come up as these are answered.</p>}
      </div>
      <div>
        {chosen?.mission_id && chosen.task_id && <HoldsUp missionId={chosen.mission_id} taskId={chosen.task_id} />}
        {chosen?.execution_id && (
          <LastLines key={chosen.execution_id} executionId={chosen.execution_id} name={chosen.agent_name ?? "The agent"} />
        )}
        {chosen?.mission_id && <DecidedBefore missionId={chosen.mission_id} />}
        <Answered short />
      </div>
    </div>
  );
}

interface KeysProps {
  items: ItemRow[];
  row: number;
  field: React.RefObject<HTMLTextAreaElement | null>;
  choose: (id: string) => void;
  draft: Draft;
  change: (id: string, draft: Draft) => void;
}

function useInboxKeys({ items, row, field, choose, draft, change }: KeysProps): void {
  const navigate = useNavigate();
  useKeys(
    useMemo(() => {
      const item = items[row];
      const move = (step: number) => {
        const next = items[Math.max(0, Math.min(row + step, items.length - 1))];
        if (next !== undefined) choose(next.id);
      };
      return {
        j: () => move(1),
        k: () => move(-1),
        o: () => item?.execution_id && void navigate(`/executions/${item.execution_id}`),
        ...(item === undefined ? {} : answerKeys(item, field, draft, (next) => change(item.id, next))),
      };
    }, [items, row, field, choose, draft, change, navigate]),
  );
}

/** An address of something that was closed meanwhile. */
function NoLonger({ id }: { id: string }) {
  const item = useTool("queue_get", { id });
  if (item.data === undefined || item.data.state === "open") return null;
  return (
    <section className="card" aria-label="Closed meanwhile">
      <Closed item={item.data} />
    </section>
  );
}

function Answered({ short = false }: { short?: boolean }) {
  const closed = useTool("queue_list", { state: ["answered", "dismissed"], limit: short ? 5 : 200 });
  if (short && (closed.data?.items.length ?? 0) === 0) return null;
  return (
    <section className="card" aria-label="Answered">
      <header className="card-head">
        <h2>
          Answered <span className="count">{closed.data?.total ?? ""}</span>
        </h2>
      </header>
      <Loaded query={closed} what="What was answered could not be read">
        {(data) =>
          data.items.length === 0 ? (
            <Empty title="Nothing was answered yet">Your answers stand here, with what was asked.</Empty>
          ) : (
            <ul className="lined">
              {data.items.map((item) => (
                <li key={item.id}>
                  <Closed item={item} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}
