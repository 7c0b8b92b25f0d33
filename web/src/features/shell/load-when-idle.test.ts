import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { loadWhenIdle } from "./load-when-idle";

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("requestIdleCallback", undefined);
});
afterEach(() => void vi.useRealTimers());

test("parts are loaded one after the other, also after one that failed, until the page is left", async () => {
  const loaded: string[] = [];
  const load = (name: string) => async () => void loaded.push(name);
  const stop = loadWhenIdle([load("one"), load("two"), load("three")]);
  expect(loaded).toEqual([]);
  await vi.advanceTimersByTimeAsync(6_000);
  expect(loaded).toEqual(["one", "two"]);
  stop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(loaded).toEqual(["one", "two"]);

  loadWhenIdle([() => Promise.reject(new Error("offline")), load("four")]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(loaded).toEqual(["one", "two", "four"]);
});
