// Work that does not move by itself, and what to do about it.
import { Link } from "react-router";

import type { OverviewRecord, StuckTask } from "@/api/types";
import { Card } from "@/ui/basics";
import { plural, span } from "@/ui/format";
import { useNow } from "@/ui/hooks/use-server-clock";
import { Empty } from "@/ui/query-states";
import { AGENT, type Status, TASK } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";

const SHOWN = 8;
const STATUS: Record<string, Status> = {
  failed: TASK.failed!,
  silent: { ...AGENT.lost!, word: "Silent" },
  review: TASK.review!,
  untouched: { ...TASK.ready!, word: "Ready, untouched" },
};

export function StuckTasks({ overview }: { overview: OverviewRecord }) {
  const rows = overview.stuck.slice(0, SHOWN);
  return (
    <Card title="Stuck" count={overview.stuck_total} className="stuck">
      {rows.length === 0 ? (
        <Empty title="Nothing is stuck">
          Silent agents, tasks that failed twice, reviews older than 10 minutes, and ready tasks that nobody took for 20
          minutes appear here.
        </Empty>
      ) : (
        <ul className="lined">
          {rows.map((task) => (
            <Row key={`${task.reason} ${task.task_id}`} task={task} />
          ))}
          {overview.stuck.length > rows.length && (
            <li className="more quiet">{overview.stuck.length - rows.length} more</li>
          )}
        </ul>
      )}
    </Card>
  );
}

function Row({ task }: { task: StuckTask }) {
  const now = useNow();
  const grouped = task.tasks > 1;
  return (
    <li className="row">
      <StatusIcon status={STATUS[task.reason] ?? TASK.blocked!} />
      <div className="words">
        <Link
          to={grouped ? `/missions/${task.mission_id}?view=board&by=state` : `/tasks/${task.task_id}`}
          className="cut"
        >
          {grouped ? `${task.tasks} ready tasks` : task.task_name}
        </Link>
        <div className="meta cut">{[describeStuck(task), task.mission_name].join(" · ")}</div>
      </div>
      <div className="actions">
        <span className="age quiet">{span((now - Date.parse(task.since)) / 1_000)}</span>
        <Link className="button small" {...nextStep(task)} />
      </div>
    </li>
  );
}

/** Say why a task is stuck. */
export function describeStuck(task: Pick<StuckTask, "reason" | "agent" | "failed_attempts" | "tasks">): string {
  if (task.reason === "failed") return plural(task.failed_attempts, "failed attempt");
  if (task.reason === "silent") return `no sign of life from ${task.agent ?? "its agent"}`;
  if (task.reason === "review") return "waiting for a review";
  return task.tasks > 1 ? "nobody takes them" : "ready, but nobody takes it";
}

/** Return the place where it can be moved on. */
function nextStep(task: StuckTask): { to: string; children: string } {
  if (task.execution_id !== null) return { to: `/executions/${task.execution_id}`, children: "Open terminal" };
  if (task.reason === "review") return { to: `/tasks/${task.task_id}`, children: "Review" };
  if (task.reason === "untouched") return { to: `/missions/${task.mission_id}`, children: "Open mission" };
  return { to: `/tasks/${task.task_id}`, children: "Open task" };
}
