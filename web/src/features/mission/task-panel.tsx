// A panel over a mission with the selected task in short: its question, terminal, changes, checks and neighbors.
import { useEffect, useRef } from "react";
import { Link } from "react-router";

import type { MissionOverview, MissionTask } from "@/api/types";
import { useTool } from "@/api/use-tool";
import { ItemCards } from "@/features/shell/answering/item-cards";
import { LineCounts } from "@/features/shell/changes/line-counts";
import { CheckSummary } from "@/features/shell/evidence/check-summary";
import { failureOf } from "@/features/shell/executions/execution-status";
import { lastSignal } from "@/features/shell/executions/last-signal";
import { type TaskExecutions, useTaskExecutions } from "@/features/shell/executions/use-task-executions";
import { isDone } from "@/features/shell/missions/time-estimates";
import { LastSignalLine } from "@/features/shell/tasks/last-signal-line";
import { neighborsOf, taskCost, taskSeconds } from "@/features/shell/tasks/task-facts";
import { LastOutputCard } from "@/features/shell/terminal/last-output-card";
import { ExpandableText } from "@/ui/expandable-text";
import { plural, span } from "@/ui/format";
import { useNow } from "@/ui/hooks/use-server-clock";
import { Icon } from "@/ui/icons";
import { Lease } from "@/ui/status/lease";
import { QUEUE, statusFor, TASK } from "@/ui/status/status";
import { FailedAttempts, StatusIcon, StatusPill } from "@/ui/status/status-icon";
import "./task-panel.css";

const SHORT = 200;

interface PanelProps {
  mission: MissionOverview;
  id: string;
  close: () => void;
}

export function TaskPanel({ mission, id, close }: PanelProps) {
  const task = mission.tasks.find((each) => each.id === id);
  const opener = useRef(document.activeElement);
  useEffect(() => () => (opener.current as HTMLElement | null)?.focus?.(), []);
  if (task === undefined) return null;
  return (
    <aside className="panel" aria-label={`Task ${task.name}`}>
      <header>
        <h2>{task.name}</h2>
        <button type="button" className="button small" onClick={close} aria-label="Close">
          <Icon name="close" size={12} />
        </button>
      </header>
      <div className="actions">
        <StatusPill status={statusFor(TASK, task.state)} />
        <Lease until={isDone(task) ? null : task.lease_until} seconds={mission.lease_seconds} />
      </div>
      <PanelBody key={task.id} task={task} tasks={mission.tasks} />
    </aside>
  );
}

function PanelBody({ task, tasks }: { task: MissionTask; tasks: readonly MissionTask[] }) {
  const launched = useTaskExecutions(task.id);
  const items = useTool("queue_list", { task_id: task.id }).data?.items ?? [];
  const signal = lastSignal(launched.executions, []);
  const failure = launched.executions.map(failureOf).find((each) => each !== null);
  const { needs, unblocks } = neighborsOf(task.id, tasks);
  return (
    <>
      <ItemCards label="Waiting for you" items={items} among={(item) => item.task_id === task.id} withReview={false} />
      <Facts task={task} launched={launched} />
      {signal !== null && (
        <div className="card">
          <LastSignalLine signal={signal} />
        </div>
      )}
      {failure != null && !isDone(task) && (
        <p className="row card">
          <StatusIcon status={TASK.failed!} />
          <span>
            <span className="quiet">Last failure:</span> <ExpandableText text={failure} maxLength={SHORT} />
          </span>
        </p>
      )}
      {launched.live !== undefined && <LastOutputCard executionId={launched.live.id} title="Terminal" />}
      <Neighbors title="Depends on" tasks={needs} />
      <Neighbors title="Unblocks" tasks={unblocks} />
      <footer className="actions">
        <Link className="button primary" to={`/tasks/${task.id}`}>
          Open task
        </Link>
        {launched.live !== undefined && (
          <Link className="button" to={`/executions/${launched.live.id}`}>
            Open terminal
          </Link>
        )}
      </footer>
    </>
  );
}

function Facts({ task, launched }: { task: MissionTask; launched: TaskExecutions }) {
  const now = useNow();
  const files = useTool("overview_files", { task_id: task.id }).data;
  const seconds = taskSeconds(task, now);
  const cost = taskCost(launched, seconds !== null);
  return (
    <dl>
      <dt>Agent</dt>
      <dd>
        {task.agent_id === null ? (
          (task.agent ?? "none yet")
        ) : (
          <Link to={`/agents?agent=${task.agent_id}`}>{task.agent ?? task.agent_id}</Link>
        )}
      </dd>
      {seconds !== null && (
        <>
          <dt>Duration</dt>
          <dd>{span(seconds)}</dd>
        </>
      )}
      {cost !== null && (
        <>
          <dt>Cost</dt>
          <dd>
            {cost.value} <span className="quiet">{cost.note}</span>
          </dd>
        </>
      )}
      {files?.known === true && (
        <>
          <dt>Changes</dt>
          <dd>
            {plural(files.total, "file")} <LineCounts of={files} />
            {files.outside > 0 && (
              <div className="outside">
                <StatusIcon status={QUEUE.blocker!} size={14} decorative /> {files.outside} outside its areas
              </div>
            )}
          </dd>
        </>
      )}
      {task.checks !== null && (
        <>
          <dt>Checks</dt>
          <dd className="panel-checks">
            <CheckSummary task={task} />
          </dd>
        </>
      )}
      {task.attempts > 0 && (
        <>
          <dt>Attempts</dt>
          <dd>
            {task.attempts} <FailedAttempts of={task} />
          </dd>
        </>
      )}
    </dl>
  );
}

function Neighbors({ title, tasks }: { title: string; tasks: readonly MissionTask[] }) {
  if (tasks.length === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      <ul>
        {tasks.map((task) => (
          <li key={task.id}>
            <StatusIcon status={statusFor(TASK, task.state)} size={14} />{" "}
            <Link to={`?task=${task.id}`}>{task.name}</Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
