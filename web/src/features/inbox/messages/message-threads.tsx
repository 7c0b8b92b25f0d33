// Mail to the person, by thread; a thread is read whole and replied to in its place.
import { useState, type FormEvent } from "react";

import { useAction, useTool } from "@/api/use-tool";
import type { MessageRecord } from "@/api/types";
import { useOnline } from "@/live/live-connection";
import { Refusal, sendOnEnter } from "@/ui/form";
import { Long } from "@/ui/expandable-text";
import { Card, Time } from "@/ui/basics";
import { Empty, Loaded } from "@/ui/query-states";
import { bodyWords, threadsOf } from "./threads";

const MOST = 200;

export function useMail() {
  return useTool("message_list", { agent_id: "human", status: "all", limit: MOST });
}

export function Mail({ thread, choose }: { thread: string | null; choose: (thread: string) => void }) {
  const mail = useMail();
  return (
    <Loaded query={mail} what="Your mail could not be read">
      {(data) => {
        const threads = threadsOf(data.messages);
        if (threads.length === 0)
          return (
            <section className="card">
              <Empty title="No mail yet">What agents write to you stands here, by thread; you reply in its place.</Empty>
            </section>
          );
        const open = threads.find((each) => each.id === thread) ?? threads[0]!;
        return (
          <div className="mail">
            <ul className="card pick lined" aria-label="Threads">
              {threads.map((each) => (
                <li key={each.id}>
                  <button type="button" aria-pressed={each.id === open.id} onClick={() => choose(each.id)}>
                    <span className="cut">
                      {each.unread && <strong>New: </strong>}
                      {each.newest.subject ?? bodyWords(each.newest)}
                    </span>
                    <span className="meta">
                      {each.newest.sender_name} · <Time at={each.newest.created_at} />
                    </span>
                  </button>
                </li>
              ))}
            </ul>
            <Thread key={open.id} id={open.id} newest={open.newest} />
          </div>
        );
      }}
    </Loaded>
  );
}

function Thread({ id, newest }: { id: string; newest: MessageRecord }) {
  const thread = useTool("message_list", { agent_id: "human", thread_id: id, limit: MOST });
  return (
    <Card title={newest.subject ?? "No subject"} className="thread">
      <Loaded query={thread} what="The thread could not be read">
        {(data) => (
          <ol className="letters">
            {[...data.messages]
              .sort((one, other) => one.created_at.localeCompare(other.created_at))
              .map((message) => (
                <Letter key={message.id} message={message} />
              ))}
          </ol>
        )}
      </Loaded>
      <Write to={newest.sender_id} name={newest.sender_name} replyTo={newest.id} />
    </Card>
  );
}

/** A message: who wrote it, when, and the words as they are. */
export function Letter({ message }: { message: MessageRecord }) {
  return (
    <li className="letter">
      <span>
        <strong>{message.sender_id === "human" ? "You" : message.sender_name}</strong>{" "}
        <span className="meta">
          <Time at={message.created_at} />
        </span>
      </span>
      <p>
        <Long text={bodyWords(message)} most={2_000} />
      </p>
    </li>
  );
}

interface WriteProps {
  to: string;
  name: string;
  replyTo?: string;
  taskId?: string;
}

/** A field that sends a message; Enter sends, Shift+Enter begins a line. */
export function Write({ to, name, replyTo, taskId }: WriteProps) {
  const send = useAction("message_send");
  const online = useOnline();
  const [text, setText] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const body = text.trim();
    if (body === "" || send.isPending) return;
    send.mutate(
      {
        sender_id: "human",
        recipient_id: to,
        message_type: replyTo !== undefined ? "response" : "notification",
        body,
        ...(replyTo !== undefined ? { reply_to_id: replyTo } : {}),
        ...(taskId !== undefined ? { task_id: taskId } : {}),
      },
      { onSuccess: () => setText("") },
    );
  };
  return (
    <form className="write" onSubmit={submit}>
      <textarea
        className="field"
        rows={1}
        aria-label={`Write to ${name}`}
        placeholder={`Write to ${name}`}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={sendOnEnter}
      />
      <button className="button" disabled={!online || send.isPending || text.trim() === ""}>
        Send
      </button>
      <Refusal error={send.error} />
    </form>
  );
}
