// One task: who has it, what changed, what an agent is told.
import { useMemo } from "react";
import { Link, useNavigate, useParams } from "react-router";

import { useTool } from "@/api/use-tool";
import type { TaskRecord } from "@/api/types";
import { useKeys } from "@/features/shell/keyboard-shortcuts";
import { Icon } from "@/ui/icons";
import { Id } from "@/ui/basics";
import { Long } from "@/ui/expandable-text";
import { Loaded } from "@/ui/query-states";
import { look, TASK } from "@/ui/status/status";
import { StatusPill } from "@/ui/status/status-icon";
import { phaseName } from "@/ui/format";
import { Actions } from "./task-actions";
import { Files } from "./changed-files";
import { Ending, Plan } from "./task-plan";
import { Waiting } from "./waiting-for-you";
import { Claim, Context, History, Messages } from "./task-sidebar";
import "./task.css";

export function TaskPage() {
  const { id = "" } = useParams();
  const task = useTool("task_get", { id });
  return (
    <div className="page task-page">
      <title>{`${task.data?.name ?? "Task"} · Mission Control`}</title>
      {task.data === undefined && <h1>Task</h1>}
      <Loaded query={task} what="The task could not be read" rows={8}>
        {(data) => <Whole key={data.id} task={data} />}
      </Loaded>
    </div>
  );
}

function Whole({ task }: { task: TaskRecord }) {
  const mission = useTool("overview_mission", { mission_id: task.workflow_id });
  const story = useTool("overview_task", { task_id: task.id }).data;
  const tasks = useMemo(() => mission.data?.tasks ?? [], [mission.data]);
  const byId = useMemo(() => new Map(tasks.map((each) => [each.id, each])), [tasks]);
  const place = tasks.findIndex((each) => each.id === task.id);
  const shown = tasks[place];
  const phase = mission.data?.phases.find((each) => each.number === shown?.phase);
  useNeighbours(tasks[place - 1]?.id, tasks[place + 1]?.id);
  return (
    <>
      <header>
        <nav className="crumbs" aria-label="Where this task stands">
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
          <Id id={task.id} />
        </nav>
        <div className="page-head">
          <h1>{task.name}</h1>
          {shown !== undefined && <StatusPill status={look(TASK, shown.state)} />}
          <div className="aside actions">
            {place >= 0 && (
              <span className="meta">
                {place + 1} of {tasks.length} <kbd aria-hidden="true">k</kbd> <kbd aria-hidden="true">j</kbd>
              </span>
            )}
            <Actions task={task} />
          </div>
        </div>
        <p className="goal quiet">
          <Long text={task.description} />
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
          <Waiting taskId={task.id} />
          <Ending task={task} />
          <Plan task={task} />
          <Files id={task.id} story={story} />
        </div>
        <div>
          <Claim task={task} shown={shown} seconds={mission.data?.lease_seconds ?? 900} byId={byId} tree={story?.tree ?? null} />
          <History id={task.id} story={story} />
          <Context id={task.id} />
          <Messages task={task} />
        </div>
      </div>
    </>
  );
}

function useNeighbours(before: string | undefined, after: string | undefined): void {
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
