// What a task that nobody has started waits for, and how to start it.
import { Link } from "react-router";

import type { MissionTask, TaskRecord } from "@/api/types";
import { isDone } from "@/features/shell/missions/time-estimates";
import { neighborsOf } from "@/features/shell/tasks/task-facts";
import { Card } from "@/ui/basics";
import { statusFor, TASK } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";

interface NotStartedProps {
  task: TaskRecord;
  tasks: readonly MissionTask[];
}

export function NotStarted({ task, tasks }: NotStartedProps) {
  const shown = tasks.find((each) => each.id === task.id);
  if (shown === undefined || shown.started_at !== null || !["ready", "waiting"].includes(shown.state)) return null;
  const open = neighborsOf(task.id, tasks).needs.filter((each) => !isDone(each));
  if (open.length > 0)
    return (
      <Card title="Waiting for other tasks" count={open.length} className="not-started">
        <ul className="side-list">
          {open.map((each) => (
            <li key={each.id}>
              <StatusIcon status={statusFor(TASK, each.state)} />
              <span>
                <Link to={`/tasks/${each.id}`}>{each.name}</Link>{" "}
                <span className="quiet">
                  {statusFor(TASK, each.state).word}
                  {each.agent !== null && ` · ${each.agent}`}
                </span>
              </span>
            </li>
          ))}
        </ul>
      </Card>
    );
  return (
    <Card
      title={shown.agent === null ? "Ready to start" : `Claimed by ${shown.agent}, not started yet`}
      className="not-started"
    >
      <p className="side-words">
        {shown.agent === null
          ? "No agent has taken this task. Launch one, assign it, or wait for an agent that asks for work."
          : "The agent starts it with its next call. Release the task to give it to another."}
      </p>
    </Card>
  );
}
