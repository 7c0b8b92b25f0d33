// Who did what when: a lane per agent with its bars, and below them what is still ahead, as an estimate.
import type { MissionTask } from "@/api/types";
import { look, TASK } from "@/ui/status/status";
import { isDone, ordered, type Critical } from "../graph/time-estimates";

const NEEDS = new Set(["asks", "review", "blocked", "budget"]);
const MOST_AHEAD = 60;

export interface Bar {
  task: MissionTask;
  from: number;
  to: number;
  /** How it is drawn: work, a wait for a person, an estimate. */
  kind: "progress" | "done" | "danger" | "muted" | "needs" | "ahead";
  word: string;
}

export interface Lane {
  name: string;
  rows: Bar[][];
  /** Since when its agent has had nothing to do. */
  idle: number | null;
}

export interface Known {
  /** When a person was asked about a task. */
  asked: ReadonlyMap<string, number>;
  /** The agents that are there and have nothing to do. */
  idle: ReadonlySet<string>;
}

export function lanesOf(tasks: readonly MissionTask[], way: Critical, now: number, known: Known): Lane[] {
  const begun = tasks
    .filter((task) => task.started_at !== null)
    .toSorted((one, other) => one.started_at!.localeCompare(other.started_at!));
  const lanes = Map.groupBy(begun, (task) => task.agent ?? "no agent named");
  const found = [...lanes].map(([name, own]) => {
    const bars = own.flatMap((task) => barsOf(task, now, known.asked.get(task.id)));
    const free = own.some((task) => task.agent_id !== null && known.idle.has(task.agent_id));
    const last = Math.max(...bars.map((bar) => bar.to));
    return { name, rows: stacked(bars), idle: free && last < now ? last : null };
  });
  const ahead = aheadOf(tasks, way, now);
  return begun.length > 0 && ahead.length > 0 ? [...found, { name: "unclaimed", rows: stacked(ahead), idle: null }] : found;
}

/** One bar, or two where work stopped to wait for a person. */
function barsOf(task: MissionTask, now: number, asked: number | undefined): Bar[] {
  const from = Date.parse(task.started_at!);
  const to = Math.max(from, task.completed_at !== null ? Date.parse(task.completed_at) : now);
  const { tone, word } = look(TASK, task.state);
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

/** Tasks that have not begun, as early as what they wait for allows. */
function aheadOf(tasks: readonly MissionTask[], way: Critical, now: number): Bar[] {
  const ends = new Map<string, number>();
  const bars: Bar[] = [];
  for (const task of ordered(tasks)) {
    const rest = (way.estimates.get(task.id) ?? 0) * 1_000;
    const from = Math.max(now, ...task.depends_on.map((id) => ends.get(id) ?? now));
    ends.set(task.id, from + rest);
    if (task.started_at === null && !isDone(task) && rest > 0) bars.push({ task, from, to: from + rest, kind: "ahead", word: "estimate" });
  }
  return bars.slice(0, MOST_AHEAD);
}

/** Bars that overlap stand below each other. */
function stacked(bars: readonly Bar[]): Bar[][] {
  const rows: Bar[][] = [];
  for (const bar of bars) {
    const row = rows.find((each) => each.at(-1)!.to <= bar.from + 1);
    if (row === undefined) rows.push([bar]);
    else row.push(bar);
  }
  return rows;
}
