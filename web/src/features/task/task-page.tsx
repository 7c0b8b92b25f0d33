// One task: its state and owner, changed files, history, context and messages.
import { useMemo } from "react";
import { Link, useNavigate, useParams } from "react-router";

import type { TaskRecord } from "@/api/types";
import { useTool } from "@/api/use-tool";
import { ChangedFiles } from "@/features/shell/changes/changed-files";
import { EvidenceCard } from "@/features/shell/evidence/evidence-card";
import { useKeys } from "@/features/shell/keyboard/keyboard-shortcuts";
import { CopyableId } from "@/ui/basics";
import { ExpandableText } from "@/ui/expandable-text";
import { phaseName } from "@/ui/format";
import { Icon } from "@/ui/icons";
import { Loaded } from "@/ui/query-states";
import { statusFor, TASK } from "@/ui/status/status";
import { StatusPill } from "@/ui/status/status-icon";
import { TaskActions } from "./task-actions";
import { TaskPlan, TaskResult } from "./task-plan";
import { ClaimCard, ContextCard, HistoryCard, MessagesCard } from "./task-sidebar";
import { WaitingForYou } from "./waiting-for-you";
import "./task.css";

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
  const byId = useMemo(() => new Map(tasks.map((each) => [each.id, each])), [tasks]);
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
          <Icon name="chevron" size={10} />
          <CopyableId id={task.id} />
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
        <p className="goal quiet">
          <ExpandableText text={task.description} />
          {story !== undefined && story.areas.length > 0 && (
            <>
              {" "}
              Areas: <code>{story.areas.join(", ")}</code>
            </>
          )}
        </p>
      </header>
      <div className="columns">
        <div>
          <WaitingForYou taskId={task.id} />
          <TaskResult task={task} />
          <TaskPlan task={task} />
          <EvidenceCard taskId={task.id} name={task.name} />
          <ChangedFiles
            id={task.id}
            outside={story?.scope?.unexpected_files}
            areas={story?.areas ?? []}
            review={items.find((item) => item.kind === "review")?.id}
          />
        </div>
        <div>
          <ClaimCard
            task={task}
            shown={shown}
            seconds={mission.data?.lease_seconds ?? 900}
            byId={byId}
            tree={story?.tree ?? null}
          />
          <HistoryCard id={task.id} story={story} />
          <ContextCard id={task.id} />
          <MessagesCard task={task} />
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
