import { expect, test } from "vitest";

import type { EventFrame } from "@/live/event-socket";
import { announcementFor } from "./announcement";

const event = (type: string, data: Record<string, unknown>): EventFrame => ({
  seq: 1,
  type,
  at: "",
  mission_id: null,
  data,
});
const done = (id: string, status = "completed") => event("task:updated", { id, name: `Task ${id}`, status });

test("what needs you is said before anything else", () => {
  const events = [done("1"), event("queue:created", { subject: "Which one?" }), done("2", "failed")];

  expect(announcementFor(events)).toBe("New in your inbox: Which one?");
  expect(announcementFor([...events, event("queue:created", { subject: "And this?" })])).toBe(
    "New in your inbox: And this?, and 1 more",
  );
});

test("many tasks that end become one sentence, and each task counts once", () => {
  expect(announcementFor([done("1")])).toBe("Task finished: Task 1");
  expect(announcementFor([done("1"), done("1"), done("2")])).toBe("2 tasks finished.");
  expect(announcementFor([done("1"), done("2", "failed")])).toBe("Task failed: Task 2");
});

test("other events are not worth a sentence", () => {
  expect(
    announcementFor([event("agent:updated", {}), event("task:updated", { id: "1", status: "in_progress" })]),
  ).toBeNull();
});
