import { expect, test } from "vitest";

import { canEnd } from "./end-mission";

const counts = {
  proved: 1,
  accepted: 0,
  unproved: 1,
  failing: 0,
  working: 0,
  needs: 0,
  failed: 0,
  failed_attempts: 0,
  skipped: 1,
  total: 3,
};

test("a mission can be ended once every task is done or skipped", () => {
  expect(canEnd({ status: "in_progress", counts })).toBe(true);
  expect(canEnd({ status: "in_progress", counts: { ...counts, total: 4 } })).toBe(false);
  expect(canEnd({ status: "completed", counts })).toBe(false);
  expect(canEnd({ status: "in_progress", counts: { ...counts, proved: 0, unproved: 0, skipped: 0, total: 0 } })).toBe(
    false,
  );
});
