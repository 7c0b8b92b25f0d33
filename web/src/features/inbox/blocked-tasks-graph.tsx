// A small graph of the tasks that an inbox item blocks.
import { Link } from "react-router";

import type { MissionOverview, MissionTask } from "@/api/types";
import { useTool } from "@/api/use-tool";
import { estimatedEnd } from "@/features/shell/missions/time-estimates";
import { Card } from "@/ui/basics";
import { clockTime } from "@/ui/format";
import { useNow } from "@/ui/hooks/use-server-clock";
import { Loaded } from "@/ui/query-states";
import { statusFor, TASK } from "@/ui/status/status";
import { layOutBlockedTasks, type Placed } from "./blocked-tasks";

const PITCH = 52;
const NODE = 40;
/** In percent of the width. */
const NODE_WIDTH = 30;

export function BlockedTasksGraph({ missionId, taskId }: { missionId: string; taskId: string }) {
  const mission = useTool("overview_mission", { mission_id: missionId });
  const own = mission.data?.tasks.find((task) => task.id === taskId);
  return (
    <Card title="Blocked tasks" {...(own?.critical ? { aside: "critical path" } : {})} className="holds-up">
      <Loaded query={mission} what="the mission" rows={2}>
        {(data) =>
          own === undefined ? (
            <p className="side-words">The task is no longer in the plan.</p>
          ) : (
            <>
              <Graph tasks={data.tasks} own={own} />
              {own.critical && <EstimatedEnd mission={data} />}
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

function Graph({ tasks, own }: { tasks: readonly MissionTask[]; own: MissionTask }) {
  const { nodes, edges, columns, rows, more } = layOutBlockedTasks(tasks, own);
  if (nodes.length === 1) return <p className="side-words">Only its own task.</p>;
  const height = rows * PITCH;
  const left = (node: Placed) => (node.column * (100 - NODE_WIDTH)) / (columns - 1);
  const middle = (node: Placed) => height / 2 + node.row * PITCH;
  return (
    <div className="held">
      <div className="held-graph" style={{ height }}>
        <svg viewBox={`0 0 100 ${height}`} preserveAspectRatio="none" aria-hidden="true">
          {edges.map(([from, to]) => (
            <path
              key={`${from.task.id}${to.task.id}`}
              className={from.task.critical && to.task.critical ? "critical" : undefined}
              d={curve(left(from) + NODE_WIDTH, middle(from), left(to), middle(to))}
            />
          ))}
        </svg>
        <ul>
          {nodes.map((node) => (
            <Node
              key={node.task.id}
              task={node.task}
              own={node.task === own}
              left={left(node)}
              top={middle(node) - NODE / 2}
            />
          ))}
        </ul>
      </div>
      {more > 0 && <p className="meta more">+ {more} more</p>}
    </div>
  );
}

function Node({ task, own, left, top }: { task: MissionTask; own: boolean; left: number; top: number }) {
  const status = statusFor(TASK, task.state);
  const words = `${task.name}: ${status.word}`;
  return (
    <li style={{ left: `${left}%`, top, width: `${NODE_WIDTH}%` }}>
      <Link
        to={`/tasks/${task.id}`}
        className={`tone-${status.tone}`}
        data-own={own || undefined}
        title={words}
        aria-label={words}
      >
        <span className="two-lines">{task.name}</span>
      </Link>
    </li>
  );
}

function curve(x1: number, y1: number, x2: number, y2: number): string {
  const half = (x1 + x2) / 2;
  return `M${x1} ${y1}C${half} ${y1} ${half} ${y2} ${x2} ${y2}`;
}

function EstimatedEnd({ mission }: { mission: MissionOverview }) {
  const now = useNow();
  const at = estimatedEnd(mission, now);
  if (at === null) return null;
  return (
    <p className="side-words">
      If you answer now, the mission should be done at about {clockTime(at, now)}. Every hour you wait delays it by an
      hour.
    </p>
  );
}
