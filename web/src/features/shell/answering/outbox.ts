// Outgoing answers. They can be undone for a few seconds, then they are sent, and their state is shown.
import { useSyncExternalStore } from "react";

import { ApiError, call } from "@/api/call-tool";
import type { AnswerItem, DismissItem, ItemRow } from "@/api/types";

export const UNDO_SECONDS = 5;
/** An answer waits while the focus is on its Undo button, but no longer than this. */
export const ATTENDED_SECONDS = 60;
const KEPT = 60_000;

/** What to do with an item: answer it, dismiss it, or answer it and change the status of its task. */
export type AnswerAction =
  | { kind: "answer"; args: AnswerItem }
  | { kind: "dismiss"; args: DismissItem }
  | { kind: "move"; args: AnswerItem; task: string; status: "pending" | "skipped" };

export interface OutgoingAnswer {
  item: ItemRow;
  action: AnswerAction;
  /** A short summary of the answer. */
  words: string;
  state: "held" | "sending" | "sent" | "failed";
  /** When it was given and when it will be sent, by the clock of this page. */
  putAt: number;
  leavesAt: number;
  attended: boolean;
  sentAt: string | null;
  /** The message in the agent's mailbox. Once it is read, the answer has reached the agent. */
  messageId: string | null;
  error: ApiError | null;
  key: string;
}

type Sent = { closed_at: string | null; messageId: string | null };
export type Send = (action: AnswerAction, key: string, leaving: boolean) => Promise<Sent>;

export class Outbox {
  private answers: readonly OutgoingAnswer[] = [];
  private readonly timers = new Map<string, ReturnType<typeof setTimeout>>();
  private readonly watchers = new Set<() => void>();

  constructor(private readonly deliver: Send) {}

  all = () => this.answers;
  watch = (notify: () => void) => {
    this.watchers.add(notify);
    return () => void this.watchers.delete(notify);
  };

  /** Send an answer after a few seconds. A second answer to the same item is ignored. */
  put(item: ItemRow, action: AnswerAction, words: string): void {
    if (this.answers.some((each) => each.item.id === item.id && each.state !== "failed")) return;
    const outgoing: OutgoingAnswer = {
      item,
      action,
      words,
      state: "held",
      putAt: Date.now(),
      leavesAt: 0,
      attended: false,
      sentAt: null,
      messageId: null,
      error: null,
      key: crypto.randomUUID(),
    };
    this.answers = [outgoing, ...this.answers.filter((each) => each.item.id !== item.id)];
    this.leaveAt(item.id, outgoing.putAt + UNDO_SECONDS * 1_000);
  }

  /** Hold the answer back while the focus is on its Undo button. */
  attend(id: string, attended: boolean): void {
    const outgoing = this.answers.find((each) => each.item.id === id);
    if (outgoing?.state !== "held" || outgoing.attended === attended) return;
    this.change(id, { attended });
    this.leaveAt(id, attended ? outgoing.putAt + ATTENDED_SECONDS * 1_000 : Date.now() + UNDO_SECONDS * 1_000);
  }

  /** Undo an answer that was not sent yet, or remove one that was. */
  drop = (id: string): void => {
    if (this.answers.some((each) => each.item.id === id && each.state === "sending")) return;
    clearTimeout(this.timers.get(id));
    this.answers = this.answers.filter((each) => each.item.id !== id);
    this.notify();
  };

  send = async (id: string, { leaving = false } = {}): Promise<void> => {
    const outgoing = this.answers.find((each) => each.item.id === id);
    if (outgoing === undefined || (outgoing.state !== "held" && outgoing.state !== "failed")) return;
    clearTimeout(this.timers.get(id));
    this.change(id, { state: "sending", error: null });
    try {
      const sent = await this.deliver(outgoing.action, outgoing.key, leaving);
      this.change(id, { state: "sent", sentAt: sent.closed_at, messageId: sent.messageId });
      this.later(id, KEPT, () => this.drop(id));
    } catch (error) {
      const known = error instanceof ApiError ? error : new ApiError(0, "UNKNOWN", String(error), null);
      this.change(id, { state: "failed", error: known });
    }
  };

  /** Send all waiting answers at once, because the page is closing. */
  flush = (): void => {
    for (const each of this.answers) if (each.state === "held") void this.send(each.item.id, { leaving: true });
  };

  private change(id: string, part: Partial<OutgoingAnswer>): void {
    this.answers = this.answers.map((each) => (each.item.id === id ? { ...each, ...part } : each));
    this.notify();
  }

  private leaveAt(id: string, leavesAt: number): void {
    this.change(id, { leavesAt });
    this.later(id, Math.max(0, leavesAt - Date.now()), () => void this.send(id));
  }

  private later(id: string, after: number, act: () => void): void {
    clearTimeout(this.timers.get(id));
    this.timers.set(id, setTimeout(act, after));
  }

  private notify(): void {
    for (const each of this.watchers) each();
  }
}

export const outbox = new Outbox(async (action, key, leaving) => {
  if (action.kind === "dismiss")
    return { ...(await call("queue_dismiss", action.args, { key, leaving })), messageId: null };
  if (action.kind === "move") {
    const move = () =>
      call("task_update_status", { id: action.task, status: action.status }, { key: `${key}-move`, leaving });
    if (leaving)
      void move().catch(() => undefined); // a closing page cannot wait, so both are sent at once
    else if ((await call("task_get", { id: action.task })).status !== action.status) await move();
  }
  const done = await call("queue_answer", action.args, { key, leaving });
  return { closed_at: done.closed_at, messageId: done.message_id };
});

if (typeof window !== "undefined") window.addEventListener("pagehide", outbox.flush);

export function useOutgoingAnswers(): readonly OutgoingAnswer[] {
  return useSyncExternalStore(outbox.watch, outbox.all);
}
