// Tasks in columns by phase, state or agent.
import { useMemo, useState } from "react";

import type { MissionOverview, MissionTask, TaskCount } from "@/api/types";
import { CheckSummary } from "@/features/shell/evidence/check-summary";
import { type CriticalPath, criticalPath, elapsed, isDone } from "@/features/shell/missions/time-estimates";
import { Segmented } from "@/ui/basics";
import { phaseName, plural, span } from "@/ui/format";
import { useChangeHighlight } from "@/ui/hooks/use-change-highlight";
import { serverNow } from "@/ui/hooks/use-server-clock";
import { useUrlFilters } from "@/ui/hooks/use-url-filters";
import { Empty } from "@/ui/query-states";
import { doneCount, ProgressBar } from "@/ui/status/progress-bar";
import { statusFor, TASK } from "@/ui/status/status";
import { FailedAttempts, StatusIcon } from "@/ui/status/status-icon";
import { ViewControls } from "../view-controls";
import type { ViewProps } from "../view-props";

type By = "phase" | "state" | "agent";
const BYS = [
  ["phase", "By phase"],
  ["state", "By state"],
  ["agent", "By agent"],
] as const;
const NEEDS = new Set(["asks", "review", "blocked", "budget"]);
const ORDER = [
  "asks",
  "review",
  "blocked",
  "budget",
  "failed",
  "checking",
  "working",
  "planning",
  "paused",
  "ready",
  "waiting",
  "proved",
  "accepted",
  "unproved",
];
/** Solid is proved, dashed is not. */
const PROVED = new Map([
  ["proved", "solid"],
  ["accepted", "solid"],
  ["unproved", "dashed"],
  ["partial", "dashed"],
]);
const SHOWN = 40;

interface Column {
  id: string;
  title: string;
  note: string;
  spent: number;
  tasks: MissionTask[];
  counts: TaskCount | null;
}

export function BoardView({ mission, choose }: ViewProps) {
  const [address, change] = useUrlFilters();
  const by = (BYS.find(([each]) => each === address.get("by"))?.[0] ?? "phase") as By;
  const path = useMemo(() => criticalPath(mission), [mission]);
  const columns = useMemo(() => columnsOf(mission, by), [mission, by]);
  if (mission.tasks.length === 0)
    return (
      <section className="card">
        <Empty title="No tasks yet">Tasks appear here once there is a plan or an agent starts a task.</Empty>
      </section>
    );
  return (
    <section className="board" aria-label="Board">
      <ViewControls>
        <Segmented label="Columns" options={BYS} value={by} choose={(value) => change("by", value)} />
      </ViewControls>
      <div className="board-columns">
        {columns.map((column) => (
          <ColumnCard key={column.id} column={column} path={path} choose={choose} />
        ))}
      </div>
    </section>
  );
}

function ColumnCard({ column, path, choose }: { column: Column; path: CriticalPath; choose: (id: string) => void }) {
  const [open, setOpen] = useState(false);
  const shown = open ? column.tasks : column.tasks.slice(0, SHOWN);
  const { counts } = column;
  return (
    <section className="card column">
      <header>
        <h2>
          {column.title}{" "}
          <span className="count">
            {counts !== null ? `${doneCount(counts) + counts.skipped} of ${counts.total}` : column.tasks.length}
          </span>
          {column.spent > 0 && <span className="spent meta">{span(column.spent)}</span>}
        </h2>
        {counts !== null && <ProgressBar counts={counts} />}
        {column.note !== "" && <p className="meta">{column.note}</p>}
      </header>
      <ul className="lined">
        {shown.map((task) => (
          <TaskRow key={task.id} task={task} path={path} choose={choose} />
        ))}
      </ul>
      {shown.length < column.tasks.length && (
        <button type="button" className="fold" onClick={() => setOpen(true)}>
          {column.tasks.length - shown.length} more
        </button>
      )}
    </section>
  );
}

function TaskRow({ task, path, choose }: { task: MissionTask; path: CriticalPath; choose: (id: string) => void }) {
  const row = useChangeHighlight<HTMLLIElement>(`${task.state} ${task.agent_id}`);
  return (
    <li
      className="row"
      ref={row}
      data-needs={NEEDS.has(task.state) || undefined}
      data-proof={PROVED.get(task.state)}
      data-quiet={isDone(task) || task.state === "waiting" || undefined}
    >
      <StatusIcon status={statusFor(TASK, task.state)} />
      <div className="words">
        <button type="button" className="link" onClick={() => choose(task.id)}>
          {task.name}
        </button>
        <div className="meta">
          <span>{describe(task, path)}</span>
          {path.path.has(task.id) && <span className="critical">critical</span>}
          <CheckSummary task={task} />
          <FailedAttempts of={task} />
        </div>
      </div>
    </li>
  );
}

function describe(task: MissionTask, path: CriticalPath): string {
  const parts: string[] = [];
  if (task.agent !== null) parts.push(task.agent);
  if (task.started_at !== null) parts.push(span(elapsed(task, serverNow())));
  if (task.started_at === null && task.waiting_for > 0) parts.push(`after ${plural(task.waiting_for, "task")}`);
  const estimate = path.estimates.get(task.id);
  if (task.started_at === null && estimate !== undefined) parts.push(`est. ${span(estimate)}`);
  return parts.join(" · ");
}

function columnsOf(mission: MissionOverview, by: By): Column[] {
  if (by === "phase") return byPhase(mission);
  const groups = new Map<string, MissionTask[]>();
  for (const task of mission.tasks) {
    const key = by === "state" ? task.state : (task.agent ?? "Unassigned");
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [task]);
    else group.push(task);
  }
  const columns = [...groups].map(([id, tasks]) => ({
    id,
    title: by === "state" ? statusFor(TASK, id).word : id,
    note: "",
    spent: 0,
    tasks: by === "state" ? tasks : tasks.toSorted(byUrgency),
    counts: null,
  }));
  return by === "state" ? columns.toSorted((one, other) => rank(one.id) - rank(other.id)) : columns;
}

function byPhase(mission: MissionOverview): Column[] {
  return mission.phases.map((phase) => {
    const tasks = mission.tasks.filter((task) => task.phase === phase.number);
    const spent = tasks.reduce((sum, task) => sum + elapsed(task, serverNow()), 0);
    return {
      id: String(phase.number),
      title: phaseName(phase),
      note: phase.is_parallel ? "parallel" : "",
      spent,
      tasks: tasks.toSorted(byUrgency),
      counts: phase.tasks,
    };
  });
}

function rank(state: string): number {
  const found = ORDER.indexOf(state);
  return found < 0 ? ORDER.length : found;
}

/** Sort tasks that need you first, then running, done and not started ones. */
function byUrgency(one: MissionTask, other: MissionTask): number {
  const place = (task: MissionTask) =>
    NEEDS.has(task.state) || task.state === "failed" ? 0 : isDone(task) ? 2 : task.started_at !== null ? 1 : 3;
  return place(one) - place(other);
}
