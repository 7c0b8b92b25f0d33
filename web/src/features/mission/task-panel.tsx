// A panel with a summary of the selected task.
import { useEffect, useRef } from "react";
import { Link } from "react-router";

import type { MissionOverview, MissionTask } from "@/api/types";
import { CheckSummary } from "@/features/shell/evidence/check-summary";
import { isDone } from "@/features/shell/missions/time-estimates";
import { CopyableId, Time } from "@/ui/basics";
import { plural } from "@/ui/format";
import { Icon } from "@/ui/icons";
import { Lease } from "@/ui/status/lease";
import { statusFor, TASK } from "@/ui/status/status";
import { FailedAttempts, StatusIcon, StatusPill } from "@/ui/status/status-icon";

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
  const byId = new Map(mission.tasks.map((each) => [each.id, each]));
  const needs = task.depends_on.flatMap((need) => byId.get(need) ?? []);
  const behind = mission.tasks.filter((each) => each.depends_on.includes(id));
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
      <dl>
        <dt>Agent</dt>
        <dd>{task.agent ?? "none yet"}</dd>
        <dt>Phase</dt>
        <dd>{task.phase}</dd>
        <dt>Attempts</dt>
        <dd>
          {task.attempts} <FailedAttempts of={task} />
        </dd>
        {task.started_at !== null && (
          <>
            <dt>Started</dt>
            <dd>
              <Time at={task.started_at} />
            </dd>
          </>
        )}
        {task.completed_at !== null && (
          <>
            <dt>Ended</dt>
            <dd>
              <Time at={task.completed_at} />
            </dd>
          </>
        )}
        {task.files !== null && (
          <>
            <dt>Changed</dt>
            <dd>{plural(task.files, "file")}</dd>
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
        <dt>ID</dt>
        <dd>
          <CopyableId id={task.id} />
        </dd>
      </dl>
      <Tasks title="Depends on" tasks={needs} />
      <Tasks title="Blocks" tasks={behind} />
      <Link className="button primary" to={`/tasks/${task.id}`}>
        Open task
      </Link>
    </aside>
  );
}

function Tasks({ title, tasks }: { title: string; tasks: MissionTask[] }) {
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
