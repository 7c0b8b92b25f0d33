import { expect, test } from "vitest";

import type { MissionTask } from "@/api/types";
import { lanesOf } from "./timeline-lanes";

const NOW = Date.parse("2026-01-15T12:00:00Z");
const ago = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString();
const task = (id: string, agent: string | null, part: Partial<MissionTask>) =>
  ({
    id,
    name: id,
    agent,
    agent_id: agent,
    depends_on: [],
    started_at: null,
    completed_at: null,
    state: "waiting",
    ...part,
  }) as MissionTask;

test("a lane shows work, waiting for you, idle time and estimates", () => {
  const tasks = [
    task("done", "ada", { state: "unproved", started_at: ago(60), completed_at: ago(30) }),
    task("asks", "bob", { state: "asks", started_at: ago(50) }),
    task("next", null, { depends_on: ["asks"] }),
  ];
  const path = {
    path: new Set<string>(),
    estimates: new Map([
      ["asks", 60],
      ["next", 600],
    ]),
  };

  const lanes = lanesOf(tasks, path, NOW, { asked: new Map([["asks", NOW - 20 * 60_000]]), idle: new Set(["ada"]) });

  const minutes = (bar: { from: number; to: number }) => [(bar.from - NOW) / 60_000, (bar.to - NOW) / 60_000];
  expect(
    lanes.map((lane) => [lane.name, lane.idle, lane.rows.flat().map((bar) => [bar.kind, ...minutes(bar)])]),
  ).toEqual([
    ["ada", NOW - 30 * 60_000, [["done", -60, -30]]],
    [
      "bob",
      null,
      [
        ["progress", -50, -20],
        ["needs", -20, 0],
      ],
    ],
    ["unclaimed 1", null, [["ahead", 1, 11]]],
  ]);
});
