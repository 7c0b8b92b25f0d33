// A line for an outgoing answer: its summary, Undo, then when it was sent and when the agent read it.
import { useQuery } from "@tanstack/react-query";
import { type RefObject, useEffect, useRef } from "react";

import { call } from "@/api/call-tool";
import type { ItemRow } from "@/api/types";
import { ErrorMessage } from "@/ui/form";
import { useNow } from "@/ui/hooks/use-server-clock";
import { StatusIcon } from "@/ui/status/status-icon";
import { type OutgoingAnswer, outbox, useOutgoingAnswers } from "./outbox";

const ASK_AGAIN = 2_000;
const KINDS = ["focusin", "focusout"] as const;
const STATUS = {
  held: { shape: "dotted", tone: "muted", word: "Waiting" },
  sending: { shape: "dotted", tone: "muted", word: "Sending" },
  sent: { shape: "disc-check", tone: "success", word: "Sent" },
  failed: { shape: "octagon", tone: "danger", word: "Not sent" },
} as const;

interface SentLinesProps {
  open: readonly { id: string }[];
  /** Which answers are meant; by default all. */
  among?: (item: ItemRow) => boolean;
}

/** Show answers whose items are no longer in the list below. */
export function SentLines({ open, among = () => true }: SentLinesProps) {
  const left = useOutgoingAnswers()
    .filter((outgoing) => among(outgoing.item))
    .filter((outgoing) => !open.some((item) => item.id === outgoing.item.id));
  if (left.length === 0) return null;
  return (
    <ul className="sent-lines" aria-label="Sent">
      {left.map((outgoing) => (
        <li key={outgoing.item.id}>
          <SentLine outgoing={outgoing} named />
        </li>
      ))}
    </ul>
  );
}

export function SentLine({ outgoing, named = false }: { outgoing: OutgoingAnswer; named?: boolean }) {
  const { item, state } = outgoing;
  const line = useAttention(outgoing);
  return (
    <div className="sent-line" data-sent={state} ref={line}>
      <StatusIcon status={STATUS[state]} decorative />
      <div className="words">
        {named && <span className="quiet">{item.subject} </span>}
        <strong>{outgoing.words}</strong> <AnswerState outgoing={outgoing} />
      </div>
      <div className="actions">
        {state === "held" && (
          <>
            <button type="button" className="button small" data-undo onClick={() => outbox.drop(item.id)}>
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

/** Hold an answer back while the keyboard is on its Undo button; a pointer that merely rests there does not count. */
function useAttention({ item, state }: OutgoingAnswer): RefObject<HTMLDivElement | null> {
  const line = useRef<HTMLDivElement>(null);
  const { id } = item;
  useEffect(() => {
    const row = line.current;
    if (row === null || state !== "held") return;
    const noteAttention = () => outbox.attend(id, row.querySelector("[data-undo]")?.matches(":focus-visible") ?? false);
    noteAttention();
    for (const kind of KINDS) row.addEventListener(kind, noteAttention);
    return () => {
      for (const kind of KINDS) row.removeEventListener(kind, noteAttention);
    };
  }, [id, state]);
  return line;
}

function AnswerState({ outgoing }: { outgoing: OutgoingAnswer }) {
  const to = outgoing.item.agent_name;
  if (outgoing.state === "held") return <Countdown outgoing={outgoing} />;
  if (outgoing.state === "sending") return <span className="quiet">sending</span>;
  if (outgoing.state === "failed") return <ErrorMessage error={outgoing.error} what="not sent" />;
  if (isNotAMessage(outgoing)) return <span className="quiet">{seconds(outgoing.sentAt)}</span>;
  return (
    <span className="quiet" role="status">
      sent{to !== null && ` to ${to}`} {seconds(outgoing.sentAt)}
      {outgoing.messageId !== null && to !== null && <ReadState messageId={outgoing.messageId} name={to} />}
    </span>
  );
}

/** Return whether the answer goes to no agent. */
function isNotAMessage({ action, item }: OutgoingAnswer): boolean {
  return action.kind === "dismiss" || item.kind === "failure" || item.kind === "run";
}

function Countdown({ outgoing }: { outgoing: OutgoingAnswer }) {
  useNow();
  const left = Math.max(0, Math.ceil((outgoing.leavesAt - Date.now()) / 1_000));
  return (
    <span className="quiet">
      {isNotAMessage(outgoing) ? "will be applied" : `will be sent to ${outgoing.item.agent_name ?? "the agent"}`}{" "}
      <span title={outgoing.attended ? `or automatically after ${left} s` : undefined}>
        {outgoing.attended ? "when you leave Undo" : `in ${left} s`}
      </span>
    </span>
  );
}

/** Show when the agent read the message. Reading creates no event, so this polls. */
function ReadState({ messageId, name }: { messageId: string; name: string }) {
  const read = useQuery({
    queryKey: ["message_get", { id: messageId, mark_read: false }],
    queryFn: ({ signal }) => call("message_get", { id: messageId, mark_read: false }, { signal }),
    refetchInterval: (query) => (query.state.data?.read_at == null ? ASK_AGAIN : false),
  }).data?.read_at;
  return read == null ? (
    <>, not read yet</>
  ) : (
    <>
      , read by {name} {seconds(read)}
    </>
  );
}

function seconds(at: string | null): string {
  return at === null ? "" : new Date(at).toTimeString().slice(0, 8);
}
