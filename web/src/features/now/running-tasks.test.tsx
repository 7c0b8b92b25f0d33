import { fireEvent, screen } from "@testing-library/react";
import { expect, test } from "vitest";

import type { RunningTask } from "@/api/types";
import { renderPage } from "@/testing/render-page";
import { counts, overview } from "@/testing/samples";
import { describeFolded, RunningTasks } from "./running-tasks";

const running = (number: number, more: Partial<RunningTask> = {}) =>
  ({
    id: `t_${number}`,
    name: `Task ${number}`,
    state: "working",
    mission_id: "m_1",
    mission_name: "Tidy up",
    agent: "ada",
    agent_id: "a_1",
    said: null,
    said_at: null,
    lease_until: null,
    started_at: null,
    failed_attempts: 0,
    ...more,
  }) as RunningTask;

test("tasks are grouped by mission, more than five fold, and those that wait for you are left out", () => {
  const tasks = [...Array.from({ length: 7 }, (_, number) => running(number)), running(9, { state: "asks" })];
  const missions = [{ id: "m_1", name: "Tidy up", tasks: counts({ proved: 2, skipped: 1, total: 11 }) }] as never;
  renderPage(<RunningTasks overview={overview({ running: tasks, running_total: 8, missions })} />);

  expect(screen.getByText("3 of 11")).toBeTruthy();
  expect(screen.getAllByRole("link", { name: /^Task/ })).toHaveLength(5);
  fireEvent.click(screen.getByRole("button", { name: "2 more, no signal yet" }));
  expect(screen.getAllByRole("link", { name: /^Task/ })).toHaveLength(7);
  expect(screen.queryByText("Task 9")).toBeNull();
});

test("folded tasks say how recent their signals are", () => {
  const now = Date.parse("2026-01-15T10:03:00Z");
  const [old, recent] = [{ said_at: "2026-01-15T10:00:00Z" }, { said_at: "2026-01-15T10:02:59Z" }];

  expect(describeFolded([old, recent], now)).toBe("2 more, all with a signal in the last 3 min");
  expect(describeFolded([recent], now)).toBe("1 more, with a signal in the last 1 min");
  expect(describeFolded([old, { said_at: null }], now)).toBe("2 more, 1 with no signal yet");
});
