// One task as a cockpit: what it asks, how it goes, its terminal, evidence and changes, its owner and history.
import { useMemo } from "react";
import { Link, useNavigate, useParams } from "react-router";

import type { TaskRecord } from "@/api/types";
import { useTool, useWholeList } from "@/api/use-tool";
import { ChangedFiles } from "@/features/shell/changes/changed-files";
import { EvidenceCard } from "@/features/shell/evidence/evidence-card";
import { AttemptsList } from "@/features/shell/executions/attempts-list";
import { lastSignal } from "@/features/shell/executions/last-signal";
import { useTaskExecutions } from "@/features/shell/executions/use-task-executions";
import { useKeys } from "@/features/shell/keyboard/keyboard-shortcuts";
import { LastSignalLine } from "@/features/shell/tasks/last-signal-line";
import { LastOutputCard } from "@/features/shell/terminal/last-output-card";
import { Card } from "@/ui/basics";
import { ExpandableText } from "@/ui/expandable-text";
import { phaseName } from "@/ui/format";
import { Icon } from "@/ui/icons";
import { Loaded } from "@/ui/query-states";
import { statusFor, TASK } from "@/ui/status/status";
import { StatusPill } from "@/ui/status/status-icon";
import { NotStarted } from "./not-started";
import { TaskActions } from "./task-actions";
import { TaskDetails } from "./task-details";
import { TaskFigures } from "./task-figures";
import { TaskPlan } from "./task-plan";
import { TaskReport } from "./task-report";
import { HistoryCard, MessagesCard, OwnerCard } from "./task-sidebar";
import { WaitingForYou } from "./waiting-for-you";
import "./task.css";

const TERMINAL_LINES = 12;

export function TaskPage() {
  const { id = "" } = useParams();
  const task = useTool("task_get", { id });
  return (
    <div className="page task-page">
      <title>{`${task.data?.name ?? "Task"} · Mission Control`}</title>
      {task.data === undefined && <h1>Task</h1>}
      <Loaded query={task} what="the task" rows={8}>
        {(data) => <TaskDetail key={data.id} task={data} />}
      </Loaded>
    </div>
  );
}

function TaskDetail({ task }: { task: TaskRecord }) {
  const mission = useTool("overview_mission", { mission_id: task.workflow_id });
  const story = useTool("overview_task", { task_id: task.id }).data;
  const items = useTool("queue_list", { task_id: task.id }).data?.items ?? [];
  const tasks = useMemo(() => mission.data?.tasks ?? [], [mission.data]);
  const launched = useTaskExecutions(task.id);
  const checkpoints = useWholeList("checkpoint_list", { task_id: task.id }).data?.checkpoints ?? [];
  const signal = lastSignal(launched.executions, checkpoints);
  const place = tasks.findIndex((each) => each.id === task.id);
  const shown = tasks[place];
  const phase = mission.data?.phases.find((each) => each.number === shown?.phase);
  useTaskKeys(tasks[place - 1]?.id, tasks[place + 1]?.id);
  return (
    <>
      <header>
        <nav className="crumbs" aria-label="Breadcrumbs">
          <Link to="/missions">Missions</Link>
          <Icon name="chevron" size={10} />
          <Link to={`/missions/${task.workflow_id}`}>{mission.data?.name ?? story?.mission_name ?? "…"}</Link>
          {phase !== undefined && (
            <>
              <Icon name="chevron" size={10} />
              <Link to={`/missions/${task.workflow_id}?view=board`}>{phaseName(phase)}</Link>
            </>
          )}
        </nav>
        <div className="page-head">
          <h1>{task.name}</h1>
          {shown !== undefined && <StatusPill status={statusFor(TASK, shown.state)} />}
          <div className="aside actions">
            {place >= 0 && (
              <span className="meta">
                {place + 1} of {tasks.length} <kbd aria-hidden="true">k</kbd> <kbd aria-hidden="true">j</kbd>
              </span>
            )}
            <TaskActions task={task} />
          </div>
        </div>
        {task.description !== task.name && (
          <p className="goal quiet">
            <ExpandableText text={task.description} />
          </p>
        )}
      </header>
      <div className="columns">
        <div>
          <WaitingForYou taskId={task.id} />
          <section className="card at-a-glance" aria-label="At a glance">
            <TaskFigures task={task} shown={shown} launched={launched} />
            {signal !== null && <LastSignalLine signal={signal} />}
          </section>
          <NotStarted task={task} tasks={tasks} />
          {launched.live !== undefined && (
            <LastOutputCard executionId={launched.live.id} title="Terminal" lines={TERMINAL_LINES} />
          )}
          <TaskReport task={task} newest={launched.executions[0]} />
          <TaskPlan task={task} />
          <EvidenceCard taskId={task.id} name={task.name} />
          {shown?.started_at !== null && (
            <ChangedFiles
              id={task.id}
              areas={story?.areas ?? []}
              review={items.find((item) => item.kind === "review")?.id}
            />
          )}
        </div>
        <div>
          <OwnerCard
            task={task}
            shown={shown}
            seconds={mission.data?.lease_seconds ?? 900}
            tasks={tasks}
            areas={story?.areas ?? []}
          />
          {launched.executions.length > 0 && (
            <Card title="Attempts" count={launched.executions.length}>
              <AttemptsList executions={launched.executions} />
            </Card>
          )}
          <HistoryCard id={task.id} story={story} />
          <MessagesCard task={task} />
          <TaskDetails task={task} tree={story?.tree ?? null} />
        </div>
      </div>
    </>
  );
}

function useTaskKeys(before: string | undefined, after: string | undefined): void {
  const navigate = useNavigate();
  useKeys(
    useMemo(
      () => ({
        k: () => before !== undefined && void navigate(`/tasks/${before}`),
        j: () => after !== undefined && void navigate(`/tasks/${after}`),
      }),
      [before, after, navigate],
    ),
  );
}
