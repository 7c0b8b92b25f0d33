// Messages from agents to you, by thread, with a reply field.

import type { MessageRecord } from "@/api/types";
import { useTool } from "@/api/use-tool";
import { MessageForm } from "@/features/shell/messages/message-form";
import { MessageRow } from "@/features/shell/messages/message-row";
import { messageText } from "@/features/shell/messages/message-text";
import { Card, Time } from "@/ui/basics";
import { Empty, Loaded } from "@/ui/query-states";
import { threadsOf } from "./threads";

const MAX = 200;

export function useMessages() {
  return useTool("message_list", { agent_id: "human", status: "all", limit: MAX });
}

export function MessageThreads({ thread, choose }: { thread: string | null; choose: (thread: string) => void }) {
  const messages = useMessages();
  return (
    <Loaded query={messages} what="messages">
      {(data) => {
        const threads = threadsOf(data.messages);
        if (threads.length === 0)
          return (
            <section className="card">
              <Empty title="No messages yet">Messages from agents appear here, and you can reply to them.</Empty>
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
                      {each.newest.subject ?? messageText(each.newest)}
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
  const thread = useTool("message_list", { agent_id: "human", thread_id: id, limit: MAX });
  return (
    <Card title={newest.subject ?? "No subject"} className="thread">
      <Loaded query={thread} what="the thread">
        {(data) => (
          <ol className="letters">
            {[...data.messages]
              .sort((one, other) => one.created_at.localeCompare(other.created_at))
              .map((message) => (
                <MessageRow key={message.id} message={message} />
              ))}
          </ol>
        )}
      </Loaded>
      <MessageForm to={newest.sender_id} name={newest.sender_name} replyTo={newest.id} />
    </Card>
  );
}
