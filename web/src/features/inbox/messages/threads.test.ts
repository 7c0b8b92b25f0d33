import { expect, test } from "vitest";

import type { MessageRecord } from "@/api/types";
import { threadsOf } from "./threads";

const message = (id: string, thread_id: string, created_at: string, status = "read") =>
  ({ id, thread_id, created_at, status, body: id }) as MessageRecord;

test("messages are grouped by thread, the newest first, and an unread message marks its thread", () => {
  const threads = threadsOf([
    message("1", "a", "2026-01-01T10:00"),
    message("2", "b", "2026-01-01T11:00", "unread"),
    message("3", "a", "2026-01-01T12:00"),
    message("4", "b", "2026-01-01T10:30"),
  ]);
  expect(threads.map((thread) => [thread.id, thread.newest.id, thread.unread])).toEqual([
    ["a", "3", false],
    ["b", "2", true],
  ]);
});
