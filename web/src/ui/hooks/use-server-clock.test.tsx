import { act, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { noteServerTime, useNow } from "./use-server-clock";

const NOON = Date.parse("2026-01-15T12:00:00Z");

beforeEach(() => void vi.useFakeTimers({ now: NOON }));
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function Clock() {
  return <time>{new Date(useNow()).toISOString().slice(11, 19)}</time>;
}

test("a clock shows the server's time and counts seconds", () => {
  noteServerTime("2026-01-15T13:00:00Z");
  render(<Clock />);
  act(() => void vi.advanceTimersByTime(2_000));
  noteServerTime(new Date().toISOString());

  expect(screen.getByRole("time").textContent).toBe("13:00:02");
});

test("a clock that is alone on a page is drawn once per second, however slow the machine is", () => {
  let later = NOON;
  vi.spyOn(Date, "now").mockImplementation(() => later++); // no two readings are equal
  const draw = vi.fn(Clock);
  const Counted = () => draw();
  render(<Counted />);
  const atFirst = draw.mock.calls.length;
  act(() => void vi.advanceTimersByTime(1_000));

  expect([atFirst, draw.mock.calls.length]).toEqual([2, 3]);
});
