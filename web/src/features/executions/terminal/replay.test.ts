import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { play, readCast } from "./replay";

const CAST = [
  '{"version": 2, "width": 80}',
  '[0.5, "o", "one "]',
  '[1.0, "r", "90x20"]',
  '[60.5, "o", "two "]',
  '[61, "o", "three"]',
  "",
].join("\n");

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a replay keeps its timing with long pauses cut short, and can be paused and moved to any position", () => {
  let screen = "";
  const parts: number[] = [];
  const playing = play(
    readCast(CAST, "x_1"),
    () => 1,
    { write: (text) => (screen += text), reset: () => (screen = "") },
    (part) => parts.push(part),
  );
  vi.advanceTimersByTime(400);
  expect(screen).toBe("");
  vi.advanceTimersByTime(100);
  expect(screen).toBe("one ");
  playing.pause();
  vi.advanceTimersByTime(60_000);
  expect(screen).toBe("one ");
  playing.resume();
  vi.advanceTimersByTime(1_500);
  expect(screen).toBe("one two ");
  playing.seek(1 / 3);
  expect([screen, parts.at(-1)]).toEqual(["one ", 1 / 3]);
  vi.advanceTimersByTime(60_000);
  expect([screen, parts.at(-1)]).toEqual(["one two three", 1]);
  playing.pause();
  playing.seek(0);
  vi.advanceTimersByTime(60_000);

  expect([screen, parts.at(-1)]).toEqual(["", 0]);
});

test("a replay shows markers as words, also when they were written in pieces", () => {
  const envelope = { version: 1, agentExecutionId: "x_1", eventId: "1" };
  const marker = `@task::${JSON.stringify({ ...envelope, signal: { type: "progress", summary: "Wrote it" } })}\r\n`;
  const pieces = [marker.slice(0, 20), marker.slice(20)].map((text, at) => JSON.stringify([at, "o", text]));

  const text = readCast(['{"version": 2}', ...pieces, ""].join("\n"), "x_1").map((piece) => piece.text);
  expect(text.join("")).toContain("◇ Wrote it");
  expect(text.join("")).not.toContain("eventId");
});
