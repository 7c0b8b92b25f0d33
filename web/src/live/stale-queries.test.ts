import { expect, test } from "vitest";

import type { EventFrame } from "./event-socket";
import { FADING, isStale } from "./stale-queries";

const event = (type: string, mission: string | null, data: Record<string, unknown> = {}): EventFrame => ({
  seq: 1,
  type,
  at: "",
  mission_id: mission,
  data,
});

test("an event makes only the queries stale that show it", () => {
  const moved = [event("task:updated", "m_1", { id: "t_1" })];

  expect(isStale(["overview", {}], moved)).toBe(true);
  expect(isStale(["overview_mission", { mission_id: "m_1" }], moved)).toBe(true);
  expect(isStale(["overview_mission", { mission_id: "m_2" }], moved)).toBe(false);
  expect(isStale(["task_get", { id: "t_1" }], moved)).toBe(true);
  expect(isStale(["task_get", { id: "t_2" }], moved)).toBe(false);
  expect(isStale(["overview_journal", { mission_id: "m_1" }], moved)).toBe(false);
  expect(isStale(["overview", {}], [event("from.a.newer.server", null)])).toBe(false);
});

test("a tool that no event concerns is never stale, and presence fades without an event", () => {
  expect(isStale(["audit_list", {}], [event("task:updated", "m_1", { id: "t_1" })])).toBe(false);
  expect(isStale(["queue_get", { id: "q_1" }], [event("queue:updated", "m_1", { id: "q_1" })])).toBe(true);
  expect(isStale(["queue_get", { id: "q_2" }], [event("queue:updated", "m_1", { id: "q_1" })])).toBe(false);
  expect([FADING.has("agent_list"), FADING.has("audit_list")]).toEqual([true, false]);
});
