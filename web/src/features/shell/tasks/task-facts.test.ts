import { expect, test } from "vitest";

import { execution, missionTask } from "@/testing/samples";
import { neighborsOf, taskCost, taskSeconds } from "./task-facts";

const spent = { tokens: 655_000, cost: 3.124, executions: 2 };

test("a cost that is unknown is shown as unknown, never as zero", () => {
  const paid = execution({ usage: { cost_usd: 3.124 } });
  const silent = execution({ usage: null });
  expect(taskCost({ executions: [], spent: null }, false)).toBeNull();
  expect(taskCost({ executions: [], spent: null }, true)).toEqual({ value: "unknown", note: "not launched here" });
  expect(taskCost({ executions: [silent], spent: null }, true)?.value).toBe("unknown");
  expect(taskCost({ executions: [paid], spent }, true)).toEqual({ value: "$3.12", note: "655k tokens" });
  expect(taskCost({ executions: [paid, silent], spent }, true)?.note).toBe("655k tokens · 1 of 2 executions unknown");
});

test("a task takes time from its start to its end, or until now", () => {
  const started_at = "2026-01-15T10:00:00Z";
  const now = Date.parse("2026-01-15T10:02:00Z");
  expect(taskSeconds(missionTask(), now)).toBeNull();
  expect(taskSeconds(missionTask({ started_at }), now)).toBe(120);
  expect(taskSeconds(missionTask({ started_at, completed_at: "2026-01-15T10:01:00Z" }), now)).toBe(60);
});

test("the tasks around a task are those it depends on and those it unblocks", () => {
  const tasks = [
    missionTask({ id: "t_1" }),
    missionTask({ id: "t_2", depends_on: ["t_1"] }),
    missionTask({ id: "t_3", depends_on: ["t_2"] }),
  ];
  const { needs, unblocks } = neighborsOf("t_2", tasks);
  expect([needs.map((task) => task.id), unblocks.map((task) => task.id)]).toEqual([["t_1"], ["t_3"]]);
});
