// Running tasks by mission. More than five of a mission fold into one line.
import { useRef, useState } from "react";
import { Link } from "react-router";

import type { MissionGlance, OverviewRecord, RunningTask } from "@/api/types";
import { Ago, Card, ShowNewButton } from "@/ui/basics";
import { span } from "@/ui/format";
import { useChangeHighlight } from "@/ui/hooks/use-change-highlight";
import { useNow } from "@/ui/hooks/use-server-clock";
import { useStableRows } from "@/ui/hooks/use-stable-rows";
import { Empty } from "@/ui/query-states";
import { Lease } from "@/ui/status/lease";
import { doneCount, ProgressBar } from "@/ui/status/progress-bar";
import { statusFor, TASK } from "@/ui/status/status";
import { FailedAttempts, StatusIcon } from "@/ui/status/status-icon";

const SHOWN = 5;
/** Tasks in these states are shown under “Needs you”. */
const WAITING_STATES = new Set(["asks", "review", "blocked", "budget", "paused"]);

export function RunningTasks({ overview }: { overview: OverviewRecord }) {
  const table = useRef<HTMLTableElement>(null);
  const { shown, fresh, show } = useStableRows(
    overview.running.filter((task) => !WAITING_STATES.has(task.state)),
    table,
  );
  const groups = grouped(shown);
  return (
    <Card title="Running" count={overview.running_total} aside="by mission" className="running">
      <ShowNewButton count={fresh} show={show} />
      {groups.length === 0 ? (
        <Empty title="No tasks are running">A task appears here as soon as an agent claims it.</Empty>
      ) : (
        <table ref={table}>
          <thead>
            <tr>
              <th className="task">Task</th>
              <th className="agent">Agent</th>
              <th className="said">Last signal</th>
              <th className="lease-column">Lease</th>
              <th className="num">Elapsed</th>
            </tr>
          </thead>
          {groups.map(([id, tasks]) => (
            <Group
              key={id}
              tasks={tasks}
              mission={overview.missions.find((mission) => mission.id === id)}
              lease={overview.lease_seconds}
            />
          ))}
        </table>
      )}
    </Card>
  );
}

interface GroupProps {
  tasks: RunningTask[];
  mission: MissionGlance | undefined;
  lease: number;
}

function Group({ tasks, mission, lease }: GroupProps) {
  const [open, setOpen] = useState(false);
  const first = tasks[0]!;
  const shown = open ? tasks : tasks.slice(0, SHOWN);
  const done = mission !== undefined ? doneCount(mission.tasks) + mission.tasks.skipped : 0;
  return (
    <tbody>
      <tr className="group">
        <th colSpan={5} scope="rowgroup">
          <div>
            <Link to={`/missions/${first.mission_id}`} className="cut">
              {first.mission_name}
            </Link>
            {mission !== undefined && (
              <>
                <ProgressBar counts={mission.tasks} />
                <span className="quiet">
                  {done} of {mission.tasks.total}
                </span>
              </>
            )}
          </div>
        </th>
      </tr>
      {shown.map((task) => (
        <Row key={task.id} task={task} lease={lease} />
      ))}
      {tasks.length > shown.length && (
        <tr>
          <td colSpan={5}>
            <button type="button" className="fold" onClick={() => setOpen(true)}>
              <FoldedRows tasks={tasks.slice(SHOWN)} />
            </button>
          </td>
        </tr>
      )}
    </tbody>
  );
}

/** `5 more, all with a signal in the last 2 min` */
function FoldedRows({ tasks }: { tasks: RunningTask[] }) {
  const now = useNow();
  return <>{describeFolded(tasks, now)}</>;
}

export function describeFolded(tasks: readonly Pick<RunningTask, "said_at">[], now: number): string {
  const said = tasks.flatMap((task) => task.said_at ?? []);
  const mute = tasks.length - said.length;
  if (mute > 0) return `${tasks.length} more, ${mute < tasks.length ? `${mute} with ` : ""}no signal yet`;
  const oldest = Math.min(...said.map((at) => Date.parse(at)));
  return `${tasks.length} more, ${tasks.length === 1 ? "" : "all "}with a signal in the last ${span(Math.max(60, (now - oldest) / 1_000))}`;
}

function Row({ task, lease }: { task: RunningTask; lease: number }) {
  const row = useChangeHighlight<HTMLTableRowElement>(`${task.state} ${task.agent_id} ${task.said_at}`);
  return (
    <tr ref={row}>
      <td className="task">
        <div className="cut">
          <StatusIcon status={statusFor(TASK, task.state)} />
          <Link to={`/tasks/${task.id}`} title={task.name}>
            {task.name}
          </Link>
          <FailedAttempts of={task} />
        </div>
      </td>
      <td className="agent cut quiet">{task.agent}</td>
      <td className="said cut quiet" title={task.said ?? undefined}>
        {task.said ?? ""}
        {task.said_at !== null && (
          <span className="meta">
            {" "}
            · <Ago at={task.said_at} />
          </span>
        )}
      </td>
      <td className="lease-column">
        <Lease until={task.lease_until} seconds={lease} />
      </td>
      <td className="num quiet">{task.started_at !== null && <Elapsed since={task.started_at} />}</td>
    </tr>
  );
}

function Elapsed({ since }: { since: string }) {
  const now = useNow();
  return <>{span((now - Date.parse(since)) / 1_000)}</>;
}

function grouped(tasks: RunningTask[]): [string, RunningTask[]][] {
  const groups = new Map<string, RunningTask[]>();
  for (const task of tasks) {
    const group = groups.get(task.mission_id);
    if (group === undefined) groups.set(task.mission_id, [task]);
    else group.push(task);
  }
  return [...groups];
}
