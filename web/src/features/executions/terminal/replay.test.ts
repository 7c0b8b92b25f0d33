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
    readCast(CAST),
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
