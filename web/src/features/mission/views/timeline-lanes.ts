// Computes the lanes of the timeline: a lane per agent, and one for estimated future tasks.
import type { MissionTask } from "@/api/types";
import { type CriticalPath, dependencyOrder, isDone } from "@/features/shell/missions/time-estimates";
import { statusFor, TASK } from "@/ui/status/status";

const NEEDS = new Set(["asks", "review", "blocked", "budget"]);
const MAX_AHEAD = 60;
/** How many rows estimates may take: what follows is uncertain anyway. */
const AHEAD_ROWS = 3;

export interface Bar {
  task: MissionTask;
  from: number;
  to: number;
  /** How it is drawn: work, waiting for you, an estimate. */
  kind: "progress" | "done" | "danger" | "muted" | "needs" | "ahead";
  word: string;
}

export interface Lane {
  name: string;
  rows: Bar[][];
  /** Since when its agent has been idle. */
  idle: number | null;
}

export interface LaneFacts {
  /** When you were asked about a task. */
  asked: ReadonlyMap<string, number>;
  /** The idle agents. */
  idle: ReadonlySet<string>;
}

export function lanesOf(tasks: readonly MissionTask[], path: CriticalPath, now: number, facts: LaneFacts): Lane[] {
  const started = tasks
    .filter((task) => task.started_at !== null)
    .toSorted((one, other) => one.started_at!.localeCompare(other.started_at!));
  const lanes = Map.groupBy(started, (task) => task.agent ?? "unnamed");
  const found = [...lanes].map(([name, own]) => {
    const bars = own.flatMap((task) => barsOf(task, now, facts.asked.get(task.id)));
    const free = own.some((task) => task.agent_id !== null && facts.idle.has(task.agent_id));
    const last = Math.max(...bars.map((bar) => bar.to));
    return { name, rows: stacked(bars), idle: free && last < now ? last : null };
  });
  const { bars: ahead, total } = aheadOf(tasks, path, now);
  return started.length > 0 && ahead.length > 0
    ? [...found, { name: `unclaimed ${total}`, rows: stacked(ahead).slice(0, AHEAD_ROWS), idle: null }]
    : found;
}

/** Return one bar, or two if work stopped to wait for you. */
function barsOf(task: MissionTask, now: number, asked: number | undefined): Bar[] {
  const from = Date.parse(task.started_at!);
  const to = Math.max(from, task.completed_at !== null ? Date.parse(task.completed_at) : now);
  const { tone, word } = statusFor(TASK, task.state);
  if (!NEEDS.has(task.state)) {
    const kind = isDone(task) ? "done" : tone === "danger" ? "danger" : tone === "progress" ? "progress" : "muted";
    return [{ task, from, to, kind, word }];
  }
  if (asked === undefined) return [{ task, from, to, kind: "progress", word }];
  const turn = Math.min(Math.max(asked, from), to);
  return [
    { task, from, to: turn, kind: "progress", word: "Worked" },
    { task, from: turn, to, kind: "needs", word },
  ];
}

/** Return bars for tasks that have not started, as early as their dependencies allow. */
function aheadOf(tasks: readonly MissionTask[], path: CriticalPath, now: number): { bars: Bar[]; total: number } {
  const ends = new Map<string, number>();
  const bars: Bar[] = [];
  for (const task of dependencyOrder(tasks)) {
    const rest = (path.estimates.get(task.id) ?? 0) * 1_000;
    const from = Math.max(now, ...task.depends_on.map((id) => ends.get(id) ?? now));
    ends.set(task.id, from + rest);
    if (task.started_at === null && !isDone(task) && rest > 0)
      bars.push({ task, from, to: from + rest, kind: "ahead", word: "estimate" });
  }
  return { bars: bars.slice(0, MAX_AHEAD), total: bars.length };
}

/** Put overlapping bars into separate rows. */
function stacked(bars: readonly Bar[]): Bar[][] {
  const rows: Bar[][] = [];
  for (const bar of bars) {
    const row = rows.find((each) => each.at(-1)!.to <= bar.from + 1);
    if (row === undefined) rows.push([bar]);
    else row.push(bar);
  }
  return rows;
}
