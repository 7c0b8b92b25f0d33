import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { ApiError } from "@/api/call-tool";
import type { ItemRow } from "@/api/types";
import { ATTENDED_SECONDS, Outbox, outbox, UNDO_SECONDS } from "./outbox";

const item = { id: "q_1" } as ItemRow;
const answer = { kind: "answer", args: { id: "q_1", choice: 1 } } as const;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("an answer is sent once, after the seconds in which it can be undone", async () => {
  const deliver = vi.fn(async () => ({ closed_at: "2026-01-01T00:00:00Z", messageId: "msg_1" }));
  const box = new Outbox(deliver);

  box.put(item, answer, "Post new");
  box.put(item, { kind: "answer", args: { id: "q_1", choice: 2 } }, "Reverse");
  await vi.advanceTimersByTimeAsync(UNDO_SECONDS * 1_000 - 1);
  expect(deliver).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);

  expect(deliver.mock.calls).toMatchObject([[answer, expect.any(String), false]]);
  expect(box.all()).toMatchObject([{ state: "sent", words: "Post new", messageId: "msg_1" }]);
});

test("an answer waits while the pointer is on it, but not forever", async () => {
  const deliver = vi.fn(async () => ({ closed_at: null, messageId: null }));
  const box = new Outbox(deliver);

  box.put(item, answer, "Post new");
  box.attend("q_1", true);
  await vi.advanceTimersByTimeAsync(20_000);
  box.attend("q_1", false);
  await vi.advanceTimersByTimeAsync(UNDO_SECONDS * 1_000 - 1);
  box.attend("q_1", true);
  await vi.advanceTimersByTimeAsync(ATTENDED_SECONDS * 1_000 - 20_000 - UNDO_SECONDS * 1_000);
  expect(deliver).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);

  expect(deliver).toHaveBeenCalledTimes(1);
});

test("an undone answer is never sent, and a closing page sends waiting ones", async () => {
  const deliver = vi.fn(async () => ({ closed_at: null, messageId: null }));
  const box = new Outbox(deliver);
  box.put(item, answer, "Post new");
  box.drop("q_1");
  await vi.advanceTimersByTimeAsync(60_000);
  expect([deliver.mock.calls.length, box.all().length]).toEqual([0, 0]);

  box.put(item, answer, "Post new");
  box.flush();
  await vi.advanceTimersByTimeAsync(0);
  expect(deliver.mock.calls).toMatchObject([[answer, expect.any(String), true]]);
});

test("a failed answer shows why and is sent again under the same key", async () => {
  const deliver = vi.fn(async () => ({ closed_at: null, messageId: null }));
  deliver.mockRejectedValueOnce(new ApiError(0, "NOT_CONNECTED", "It is not responding.", null));
  const box = new Outbox(deliver);
  box.put(item, answer, "Post new");
  await box.send("q_1");
  expect(box.all()).toMatchObject([{ state: "failed", error: { code: "NOT_CONNECTED" } }]);
  await box.send("q_1");

  const keys = (deliver.mock.calls as unknown as [unknown, string][]).map(([, key]) => key);
  expect([keys.length, new Set(keys).size, box.all()[0]?.state]).toEqual([2, 1, "sent"]);
});

test("a closing page sends the status change and the answer at once", () => {
  const fetched = vi.fn(() => new Promise<Response>(() => undefined));
  vi.stubGlobal("fetch", fetched);

  outbox.put(item, { kind: "move", args: { id: "q_1", text: "Skip it" }, task: "t_1", status: "skipped" }, "Skip it");
  outbox.flush();

  const sent = fetched.mock.calls as unknown as [string, RequestInit][];
  expect(sent.map(([path, { keepalive }]) => [path, keepalive])).toEqual([
    ["/api/tools/task_update_status", true],
    ["/api/tools/queue_answer", true],
  ]);
  vi.unstubAllGlobals();
});
