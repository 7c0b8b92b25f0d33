// Messages by thread, the one with the newest message first.
import type { MessageRecord } from "@/api/types";

export interface Thread {
  id: string;
  newest: MessageRecord;
  unread: boolean;
}

export function threadsOf(messages: readonly MessageRecord[]): Thread[] {
  const found = new Map<string, Thread>();
  for (const message of messages) {
    const thread = found.get(message.thread_id);
    const unread = message.status === "unread" || (thread?.unread ?? false);
    const newest = thread !== undefined && thread.newest.created_at >= message.created_at ? thread.newest : message;
    found.set(message.thread_id, { id: message.thread_id, newest, unread });
  }
  return [...found.values()].sort((one, other) => other.newest.created_at.localeCompare(one.newest.created_at));
}

/** A body as words: an object's own text, or all of it. */
export function bodyWords(message: Pick<MessageRecord, "body">): string {
  const { body } = message;
  if (typeof body === "string") return body;
  const text = body["text"] ?? body["message"];
  return typeof text === "string" ? text : JSON.stringify(body, null, 2);
}
