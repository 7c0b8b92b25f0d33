// Answers on their way: for some seconds they can be taken back, then they are sent and the line says what became of them.
import { useSyncExternalStore } from "react";

import { ApiError, call } from "@/api/call-tool";
import type { AnswerItem, DismissItem, ItemRow } from "@/api/types";

export const UNDO_SECONDS = 5;
/** Whoever points at an answer, or has the focus on it, may still think about it: for so long at the most. */
export const ATTENDED_SECONDS = 60;
const KEPT = 60_000;

/** What a person wants: an answer, to put the item aside, or that its task is moved, which is the answer too. */
export type Wish =
  | { kind: "answer"; args: AnswerItem }
  | { kind: "dismiss"; args: DismissItem }
  | { kind: "move"; args: AnswerItem; task: string; status: "pending" | "skipped" };

export interface Letter {
  item: ItemRow;
  wish: Wish;
  /** The answer in a few words. */
  words: string;
  state: "held" | "sending" | "sent" | "failed";
  /** When it was given and when it leaves, by the clock of this page. */
  putAt: number;
  leavesAt: number;
  attended: boolean;
  sentAt: string | null;
  /** The letter in the agent's mailbox: read, it has reached the agent. */
  messageId: string | null;
  error: ApiError | null;
  key: string;
}

type Sent = { closed_at: string | null; messageId: string | null };
export type Send = (wish: Wish, key: string, leaving: boolean) => Promise<Sent>;

export class Outbox {
  private letters: readonly Letter[] = [];
  private readonly timers = new Map<string, ReturnType<typeof setTimeout>>();
  private readonly watchers = new Set<() => void>();

  constructor(private readonly deliver: Send) {}

  all = () => this.letters;
  watch = (tell: () => void) => {
    this.watchers.add(tell);
    return () => void this.watchers.delete(tell);
  };

  /** Hold an answer back for some seconds, then send it; a second one to the same item is not taken. */
  put(item: ItemRow, wish: Wish, words: string): void {
    if (this.letters.some((each) => each.item.id === item.id && each.state !== "failed")) return;
    const letter: Letter = {
      item,
      wish,
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
    this.letters = [letter, ...this.letters.filter((each) => each.item.id !== item.id)];
    this.leaveAt(item.id, letter.putAt + UNDO_SECONDS * 1_000);
  }

  /** Somebody points at the answer or has the focus on it, or no longer: meanwhile it stays. */
  attend(id: string, attended: boolean): void {
    const letter = this.letters.find((each) => each.item.id === id);
    if (letter?.state !== "held" || letter.attended === attended) return;
    this.change(id, { attended });
    this.leaveAt(id, attended ? letter.putAt + ATTENDED_SECONDS * 1_000 : Date.now() + UNDO_SECONDS * 1_000);
  }

  /** Take back what was not sent yet, or forget what became of it. */
  drop = (id: string): void => {
    if (this.letters.some((each) => each.item.id === id && each.state === "sending")) return;
    clearTimeout(this.timers.get(id));
    this.letters = this.letters.filter((each) => each.item.id !== id);
    this.tell();
  };

  send = async (id: string, { leaving = false } = {}): Promise<void> => {
    const letter = this.letters.find((each) => each.item.id === id);
    if (letter === undefined || (letter.state !== "held" && letter.state !== "failed")) return;
    clearTimeout(this.timers.get(id));
    this.change(id, { state: "sending", error: null });
    try {
      const sent = await this.deliver(letter.wish, letter.key, leaving);
      this.change(id, { state: "sent", sentAt: sent.closed_at, messageId: sent.messageId });
      this.later(id, KEPT, () => this.drop(id));
    } catch (error) {
      const known = error instanceof ApiError ? error : new ApiError(0, "UNKNOWN", String(error), null);
      this.change(id, { state: "failed", error: known });
    }
  };

  /** The page goes away: what is held back leaves at once, for it was said. */
  flush = (): void => {
    for (const each of this.letters) if (each.state === "held") void this.send(each.item.id, { leaving: true });
  };

  private change(id: string, part: Partial<Letter>): void {
    this.letters = this.letters.map((each) => (each.item.id === id ? { ...each, ...part } : each));
    this.tell();
  }

  private leaveAt(id: string, leavesAt: number): void {
    this.change(id, { leavesAt });
    this.later(id, Math.max(0, leavesAt - Date.now()), () => void this.send(id));
  }

  private later(id: string, after: number, act: () => void): void {
    clearTimeout(this.timers.get(id));
    this.timers.set(id, setTimeout(act, after));
  }

  private tell(): void {
    for (const each of this.watchers) each();
  }
}

export const outbox = new Outbox(async (wish, key, leaving) => {
  if (wish.kind === "dismiss") return { ...(await call("queue_dismiss", wish.args, { key, leaving })), messageId: null };
  if (wish.kind === "move") {
    const move = () => call("task_update_status", { id: wish.task, status: wish.status }, { key: `${key}-move`, leaving });
    if (leaving) void move().catch(() => undefined); // a page that goes away waits for nothing: both leave at once
    else if ((await call("task_get", { id: wish.task })).status !== wish.status) await move();
  }
  const done = await call("queue_answer", wish.args, { key, leaving });
  return { closed_at: done.closed_at, messageId: done.message_id };
});

if (typeof window !== "undefined") window.addEventListener("pagehide", outbox.flush);

export function useLetters(): readonly Letter[] {
  return useSyncExternalStore(outbox.watch, outbox.all);
}
