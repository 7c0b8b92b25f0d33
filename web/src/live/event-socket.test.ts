import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { type Connection, type EventFrame, EventSocket } from "./event-socket";

class FakeSocket {
  static all: FakeSocket[] = [];
  readyState = 0;
  sent: string[] = [];
  onopen: (() => void) | null = null;
  onmessage: ((message: { data: string }) => void) | null = null;
  onclose: (() => void) | null = null;

  constructor() {
    FakeSocket.all.push(this);
  }
  send(text: string) {
    this.sent.push(text);
  }
  close() {
    this.readyState = 3;
  }
  open() {
    this.readyState = 1;
    this.onopen?.();
  }
  say(frame: object) {
    this.onmessage?.({ data: JSON.stringify(frame) });
  }
}

const event = (seq: number): EventFrame => ({ seq, type: "task:updated", at: "", mission_id: null, data: {} });

let seen: number[];
let drawn: number;
let resets: number;
let connection: Connection;
let socket: EventSocket;

beforeEach(() => {
  vi.useFakeTimers();
  FakeSocket.all = [];
  seen = [];
  drawn = 0;
  resets = 0;
  socket = new EventSocket(
    {
      events: (events) => {
        drawn += 1;
        seen.push(...events.map((each) => each.seq));
      },
      reset: () => (resets += 1),
      connection: (now) => (connection = now),
    },
    () => new FakeSocket() as unknown as WebSocket,
  );
  socket.start(10);
});

afterEach(() => vi.useRealTimers());

function latest(): FakeSocket {
  return FakeSocket.all.at(-1)!;
}

test("it resumes after the given number and delivers each event once", () => {
  latest().open();
  expect(latest().sent).toEqual([JSON.stringify({ type: "subscribe", topic: "global", since: 10 })]);
  latest().say({ type: "subscribed", topic: "global", seq: 11 });
  for (const seq of [11, 11, 10, 12]) latest().say(event(seq));
  vi.advanceTimersByTime(200);

  expect(seen).toEqual([11, 12]);
  expect(connection).toMatchObject({ state: "live", seq: 12 });
});

test("a burst is delivered in batches, at most ten times a second", () => {
  latest().open();
  latest().say({ type: "subscribed", topic: "global", seq: 10 });
  for (let seq = 11; seq <= 110; seq += 1) {
    latest().say(event(seq));
    vi.advanceTimersByTime(10);
  }
  vi.advanceTimersByTime(200);

  expect(seen).toHaveLength(100);
  expect(drawn).toBeLessThanOrEqual(12);
});

test("after a broken connection it resumes and reports how many events it missed", () => {
  latest().open();
  latest().say({ type: "subscribed", topic: "global", seq: 10 });
  latest().say(event(11));
  latest().onclose?.();
  expect(connection).toMatchObject({ state: "lost", seq: 11 });

  vi.advanceTimersByTime(600);
  latest().open();
  expect(JSON.parse(latest().sent[0]!)).toMatchObject({ since: 11 });
  latest().say({ type: "subscribed", topic: "global", seq: 13 });
  latest().say(event(12));
  latest().say(event(13));
  expect(connection).toMatchObject({ state: "live", caughtUp: 2 });
  vi.advanceTimersByTime(5_000);

  expect(seen).toEqual([11, 12, 13]);
  expect(connection).toMatchObject({ state: "live", caughtUp: null });
});

test("events that the server no longer has make everything stale", () => {
  latest().open();
  latest().say({ type: "reset", topic: "global", oldest: 40, seq: 50 });
  latest().say(event(51));
  vi.advanceTimersByTime(200);

  expect([resets, seen]).toEqual([1, [51]]);
});

test("a socket that does not answer after sleep is closed", () => {
  latest().open();
  latest().say({ type: "subscribed", topic: "global", seq: 10 });
  socket.check();
  vi.advanceTimersByTime(5_100);

  expect(connection.state).toBe("lost");
});

test("a quiet connection is pinged, and stays open if it answers", () => {
  latest().open();
  latest().say({ type: "subscribed", topic: "global", seq: 10 });
  const line = latest();
  vi.advanceTimersByTime(15_100);
  expect(JSON.parse(line.sent.at(-1)!)).toEqual({ type: "ping" });
  line.say({ type: "pong", seq: 10 });
  expect(connection.state).toBe("live");

  vi.advanceTimersByTime(45_000); // this time nothing answers
  expect([line.readyState, FakeSocket.all.length > 1]).toEqual([3, true]);
});

test("a connection that never opens is given up, and a manual retry leaves no second one", () => {
  vi.advanceTimersByTime(15_100);
  expect(connection.state).toBe("lost");
  vi.advanceTimersByTime(600);
  const hanging = latest();
  socket.tryNow();

  expect([hanging.readyState, latest() === hanging]).toEqual([3, false]);
});
