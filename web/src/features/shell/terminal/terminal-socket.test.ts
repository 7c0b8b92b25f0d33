import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { TerminalSocket } from "./terminal-socket";

class FakeSocket {
  readyState = 1;
  sent: string[] = [];
  onmessage: ((message: { data: string }) => void) | null = null;
  onclose: (() => void) | null = null;
  send(text: string) {
    this.sent.push(text);
  }
  close() {
    this.readyState = 3;
    this.onclose?.();
  }
  say(frame: object) {
    this.onmessage?.({ data: JSON.stringify(frame) });
  }
}

let sockets: FakeSocket[];
const listener = { attached: vi.fn(), output: vi.fn(), ended: vi.fn(), refused: vi.fn(), lost: vi.fn() };
const connect = () =>
  new TerminalSocket("x_1", listener, () => {
    const made = new FakeSocket();
    sockets.push(made);
    return made as unknown as WebSocket;
  });

beforeEach(() => {
  sockets = [];
  vi.useFakeTimers();
  vi.clearAllMocks();
});
afterEach(() => void vi.useRealTimers());

test("output is passed on, and typed text is sent", () => {
  const terminal = connect();
  sockets[0]!.say({ type: "attached", typing: true, history: false, execution: {} });
  sockets[0]!.say({ type: "output", data: "hello" });
  terminal.type("ls\r");
  terminal.resize(40, 120);

  expect(listener.attached).toHaveBeenCalledWith(expect.objectContaining({ typing: true, history: false }));
  expect(listener.output).toHaveBeenCalledWith("hello");
  expect(sockets[0]!.sent.map((frame) => JSON.parse(frame))).toEqual([
    { type: "input", data: "ls\r" },
    { type: "resize", rows: 40, columns: 120 },
  ]);
});

test("a broken connection is opened again, an ended or closed one is not", () => {
  const terminal = connect();
  sockets[0]!.close();
  expect(listener.lost).toHaveBeenCalledOnce();
  vi.advanceTimersByTime(500);
  expect(sockets.length).toBe(2);

  sockets[1]!.say({ type: "ended", execution: { status: "completed" } });
  sockets[1]!.close();
  vi.advanceTimersByTime(60_000);
  expect(sockets.length).toBe(2);
  expect(listener.ended).toHaveBeenCalledOnce();

  terminal.close();
  connect().close();
  vi.advanceTimersByTime(60_000);
  expect(sockets.length).toBe(3);
});

test("after the page was offline it reconnects, because a dead connection may look open", () => {
  const terminal = connect();
  sockets[0]!.say({ type: "attached", typing: true, history: false, execution: {} });
  terminal.pageConnected(true);
  expect(sockets.length).toBe(1);

  terminal.pageConnected(false);
  terminal.pageConnected(true);
  expect([sockets.length, sockets[0]!.readyState]).toEqual([2, 3]);
});
