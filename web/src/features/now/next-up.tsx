// The next tasks that agents can take, with an estimate where one is honest.
import { Link } from "react-router";

import type { OverviewRecord, ReadyTask } from "@/api/types";
import { Card } from "@/ui/basics";
import { span } from "@/ui/format";
import { useNow } from "@/ui/hooks/use-server-clock";
import { Empty } from "@/ui/query-states";
import { TASK } from "@/ui/status/status";
import { FailedAttempts, StatusIcon } from "@/ui/status/status-icon";

export function NextUp({ overview }: { overview: OverviewRecord }) {
  return (
    <Card title="Next up" count={overview.ready} aside="ready to take" className="next-up">
      {overview.next_up.length === 0 ? (
        <Empty title="No task is ready">A task appears here when everything it depends on is done.</Empty>
      ) : (
        <ul className="lined">
          {overview.next_up.map((task) => (
            <Row key={task.id} task={task} />
          ))}
        </ul>
      )}
    </Card>
  );
}

function Row({ task }: { task: ReadyTask }) {
  const now = useNow();
  return (
    <li className="row">
      <StatusIcon status={TASK.ready!} />
      <div className="words">
        <Link to={`/tasks/${task.id}`} className="two-lines">
          {task.name}
        </Link>
        <div className="meta cut">
          {task.mission_name} <FailedAttempts of={task} />
        </div>
      </div>
      <div className="when meta">
        <span>{describeEstimate(task.estimated_range)}</span>
        <span>ready {span((now - Date.parse(task.ready_since)) / 1_000)}</span>
      </div>
    </li>
  );
}

/** `est. 20 to 40 min`; nothing until enough tasks have ended to tell. */
export function describeEstimate(range: readonly number[] | null): string {
  if (range === null) return "no estimate yet";
  const [low, high] = range.map((seconds) => span(seconds));
  return low === high ? `est. ${low}` : `est. ${low} to ${high}`;
}
