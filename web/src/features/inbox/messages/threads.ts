// Groups messages by thread, the thread with the newest message first.
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
