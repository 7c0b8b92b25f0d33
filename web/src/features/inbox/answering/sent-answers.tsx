// One line for an answer that is on its way: what it says, Undo, then when it was sent and when it reached the agent.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, type RefObject } from "react";

import { call } from "@/api/call-tool";
import { useNow } from "@/ui/hooks/use-server-clock";
import { Refusal } from "@/ui/form";
import { StatusIcon } from "@/ui/status/status-icon";
import { outbox, useLetters, type Letter } from "./outbox";

const ASK_AGAIN = 2_000;
const KINDS = ["pointerenter", "pointerleave", "focusin", "focusout"] as const;
const STATUS = {
  held: { shape: "dotted", tone: "muted", word: "Held back" },
  sending: { shape: "dotted", tone: "muted", word: "On its way" },
  sent: { shape: "disc-check", tone: "success", word: "Sent" },
  failed: { shape: "octagon", tone: "danger", word: "Not sent" },
} as const;

/** Above a list: what was sent and has left it; of one task, where the list is about that. */
export function SentLines({ open, taskId }: { open: readonly { id: string }[]; taskId?: string }) {
  const left = useLetters()
    .filter((letter) => taskId === undefined || letter.item.task_id === taskId)
    .filter((letter) => !open.some((item) => item.id === letter.item.id));
  if (left.length === 0) return null;
  return (
    <ul className="sent-lines" aria-label="Sent">
      {left.map((letter) => (
        <li key={letter.item.id}>
          <SentLine letter={letter} named />
        </li>
      ))}
    </ul>
  );
}

export function SentLine({ letter, named = false }: { letter: Letter; named?: boolean }) {
  const { item, state } = letter;
  const line = useAttention(letter);
  return (
    <div className="sent-line" data-sent={state} ref={line}>
      <StatusIcon status={STATUS[state]} decorative />
      <div className="words">
        {named && <span className="quiet">{item.subject} </span>}
        <strong>{letter.words}</strong> <What letter={letter} />
      </div>
      <div className="actions">
        {state === "held" && (
          <>
            <button type="button" className="button small" onClick={() => outbox.drop(item.id)}>
              Undo
            </button>
            <button type="button" className="button small" onClick={() => void outbox.send(item.id)}>
              Send now
            </button>
          </>
        )}
        {state === "failed" && (
          <button type="button" className="button small" onClick={() => void outbox.send(item.id)}>
            Send again
          </button>
        )}
        {(state === "failed" || state === "sent") && (
          <button type="button" className="button small" onClick={() => outbox.drop(item.id)}>
            Close
          </button>
        )}
      </div>
    </div>
  );
}

/** An answer that is held back stays while pointer or focus is on the row that it stands in. */
function useAttention({ item, state }: Letter): RefObject<HTMLDivElement | null> {
  const line = useRef<HTMLDivElement>(null);
  const { id } = item;
  useEffect(() => {
    const row = line.current?.closest("li");
    if (row === null || row === undefined || state !== "held") return;
    const points = matchMedia("(hover: hover)").matches; // on a touch screen the last place touched stays pointed at
    const look = () => outbox.attend(id, (points && row.matches(":hover")) || row.contains(document.activeElement));
    look();
    for (const kind of KINDS) row.addEventListener(kind, look);
    return () => {
      for (const kind of KINDS) row.removeEventListener(kind, look);
    };
  }, [id, state]);
  return line;
}

function What({ letter }: { letter: Letter }) {
  const to = letter.item.agent_name;
  if (letter.state === "held") return <Leaves letter={letter} />;
  if (letter.state === "sending") return <span className="quiet">is being sent</span>;
  if (letter.state === "failed") return <Refusal error={letter.error} what="was not sent" />;
  if (isDone(letter)) return <span className="quiet">{seconds(letter.sentAt)}</span>;
  return (
    <span className="quiet" role="status">
      sent{to !== null && ` to ${to}`} {seconds(letter.sentAt)}
      {letter.messageId !== null && to !== null && <Reached messageId={letter.messageId} name={to} />}
    </span>
  );
}

/** Whether it is something that is done, and nothing that is said to an agent. */
function isDone({ wish, item }: Letter): boolean {
  return wish.kind === "dismiss" || item.kind === "failure";
}

function Leaves({ letter }: { letter: Letter }) {
  useNow();
  const left = Math.max(0, Math.ceil((letter.leavesAt - Date.now()) / 1_000));
  return (
    <span className="quiet">
      {isDone(letter) ? "happens" : `goes to ${letter.item.agent_name ?? "whoever waits"}`}{" "}
      <span title={letter.attended ? `at the latest in ${left} s` : undefined}>{letter.attended ? "when you leave this row" : `in ${left} s`}</span>
    </span>
  );
}

/** Read by the agent, it has arrived; reading is no event, so it is asked for while the line stands. */
function Reached({ messageId, name }: { messageId: string; name: string }) {
  const read = useQuery({
    queryKey: ["message_get", { id: messageId, mark_read: false }],
    queryFn: ({ signal }) => call("message_get", { id: messageId, mark_read: false }, { signal }),
    refetchInterval: (query) => (query.state.data?.read_at == null ? ASK_AGAIN : false),
  }).data?.read_at;
  return read == null ? <>, not read yet</> : <>, reached {name} {seconds(read)}</>;
}

function seconds(at: string | null): string {
  return at === null ? "" : new Date(at).toTimeString().slice(0, 8);
}
