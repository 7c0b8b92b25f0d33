// The inbox: open items by urgency, answered items and messages.
import { useEffect, useMemo, useRef, useState } from "react";
import { useNavigate, useSearchParams } from "react-router";

import type { ItemRow } from "@/api/types";
import { useTool } from "@/api/use-tool";
import { BLANK, type Draft } from "@/features/shell/answering/answer-draft";
import { answerKeys } from "@/features/shell/answering/answer-keys";
import { ItemCard } from "@/features/shell/answering/item-card";
import { useOutgoingAnswers } from "@/features/shell/answering/outbox";
import { SentLines } from "@/features/shell/answering/sent-answers";
import { useKeys } from "@/features/shell/keyboard/keyboard-shortcuts";
import { NotificationSwitch } from "@/features/shell/notifications/browser-notifications";
import { LastOutputCard } from "@/features/shell/terminal/last-output-card";
import { useInbox, useStalledAgentCount } from "@/features/shell/use-overview";
import { Segmented, ShowNewButton } from "@/ui/basics";
import { plural } from "@/ui/format";
import { useSelectedRow, useStableRows } from "@/ui/hooks/use-stable-rows";
import { Empty, Loaded } from "@/ui/query-states";
import { BlockedTasksGraph } from "./blocked-tasks-graph";
import { ClosedItem, EarlierDecisions } from "./item-sidebar";
import { MessageThreads, useMessages } from "./messages/message-threads";
import "./inbox.css";

type Show = "open" | "answered" | "mail";

export function InboxPage() {
  const [address, setAddress] = useSearchParams();
  const show = (address.get("show") ?? "open") as Show;
  const waiting = useInbox();
  const messages = useMessages();
  const stalled = useStalledAgentCount();
  return (
    <div className="page inbox">
      <title>Inbox · Mission Control</title>
      <div className="page-head">
        <h1>Inbox</h1>
        <span className="quiet">
          {waiting.data !== undefined && `${waiting.data.total} waiting for you`}
          {stalled > 0 && ` · ${plural(stalled, "agent")} blocked`}
        </span>
        <div className="actions">
          <NotificationSwitch />
          <Segmented
            label="Filter the inbox"
            value={show}
            choose={(value) => setAddress(value === "open" ? {} : { show: value })}
            options={[
              ["open", `Open ${waiting.data?.total ?? ""}`],
              ["answered", "Answered"],
              [
                "mail",
                messages.data !== undefined && messages.data.unread_count > 0
                  ? `Messages ${messages.data.unread_count}`
                  : "Messages",
              ],
            ]}
          />
          <span className="meta keys-hint" aria-hidden="true">
            <kbd>j</kbd> <kbd>k</kbd> move · <kbd>1</kbd>–<kbd>6</kbd> choose · <kbd>e</kbd> write · <kbd>⏎</kbd> send
          </span>
        </div>
      </div>
      {show === "open" && <OpenItems />}
      {show === "answered" && <AnsweredItems />}
      {show === "mail" && (
        <MessageThreads
          thread={address.get("thread")}
          choose={(thread) => setAddress({ show: "mail", thread }, { replace: true })}
        />
      )}
    </div>
  );
}

function OpenItems() {
  const waiting = useInbox();
  return (
    <Loaded query={waiting} what="your inbox" rows={8}>
      {(data) => <Items items={data.items} total={data.total} />}
    </Loaded>
  );
}

function Items({ items, total }: { items: ItemRow[]; total: number }) {
  const [address, setAddress] = useSearchParams();
  const [drafts, setDrafts] = useState<Record<string, Draft>>({});
  const field = useRef<HTMLTextAreaElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const outgoingAnswers = useOutgoingAnswers();
  const { shown, fresh, show } = useStableRows(items, list);
  const named = address.get("item");
  const { chosen, place } = useSelectedRow(shown, named);
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
        {named !== null && !items.some((item) => item.id === named) && <AlreadyClosed id={named} />}
        <ShowNewButton count={fresh} show={show} />
        {items.length === 0 ? (
          <section className="card">
            <Empty title="Your inbox is empty">
              Questions, blockers, reviews and failures from agents appear here, with the tasks they block.
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
                outgoing={outgoingAnswers.find((each) => each.item.id === item.id)}
                field={field}
              />
            ))}
          </ul>
        )}
        {total > items.length && <p className="quiet">{total - items.length} more will appear as you answer these.</p>}
      </div>
      <div>
        {chosen?.mission_id && chosen.task_id && (
          <BlockedTasksGraph missionId={chosen.mission_id} taskId={chosen.task_id} />
        )}
        {chosen?.execution_id && (
          <LastOutputCard
            key={chosen.execution_id}
            executionId={chosen.execution_id}
            title={`Last output from ${chosen.agent_name ?? "Agent"}`}
          />
        )}
        {chosen?.mission_id && <EarlierDecisions missionId={chosen.mission_id} />}
        <AnsweredItems short />
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

/** Show an item from the address that is no longer open. */
function AlreadyClosed({ id }: { id: string }) {
  const item = useTool("queue_get", { id });
  if (item.data === undefined || item.data.state === "open") return null;
  return (
    <section className="card" aria-label="Already closed">
      <ClosedItem item={item.data} />
    </section>
  );
}

function AnsweredItems({ short = false }: { short?: boolean }) {
  const closed = useTool("queue_list", { state: ["answered", "dismissed"], limit: short ? 5 : 200 });
  if (short && (closed.data?.items.length ?? 0) === 0) return null;
  return (
    <section className="card" aria-label="Answered">
      <header className="card-head">
        <h2>
          Answered <span className="count">{closed.data?.total ?? ""}</span>
        </h2>
      </header>
      <Loaded query={closed} what="answered items">
        {(data) =>
          data.items.length === 0 ? (
            <Empty title="No answers yet">Your answers appear here, with the questions.</Empty>
          ) : (
            <ul className="lined">
              {data.items.map((item) => (
                <li key={item.id}>
                  <ClosedItem item={item} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}
