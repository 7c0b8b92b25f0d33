// The candidates of a run in the order in which they will be merged, and those that were sent back.
import { Link } from "react-router";

import type { QueuedCandidate, RunDetail, RunTask } from "@/api/types";
import { Card } from "@/ui/basics";
import { useChangeHighlight } from "@/ui/hooks/use-change-highlight";
import { CANDIDATE, statusFor } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";

const ENDED = new Set(["merged", "skipped"]);

export function MergeQueue({ run }: { run: RunDetail }) {
  const waiting = new Set(run.queue.map((each) => each.task_id));
  const back = run.tasks.filter(
    (task) => task.revisions > 0 && !ENDED.has(task.stage) && !waiting.has(task.task_id) && task.candidate_id !== null,
  );
  return (
    <Card title="Merge queue" count={run.queue.length} aside="oldest first" className="merge-queue">
      {run.queue.length === 0 ? (
        <p className="side-words">No results are waiting to be merged.</p>
      ) : (
        <ol className="lined">
          {run.queue.map((each) => (
            <Queued key={each.candidate_id} candidate={each} />
          ))}
        </ol>
      )}
      {back.length > 0 && (
        <>
          <h3 className="side-words">Sent back to their authors</h3>
          <ul className="lined">
            {back.map((task) => (
              <SentBack key={task.task_id} task={task} />
            ))}
          </ul>
        </>
      )}
    </Card>
  );
}

function Queued({ candidate }: { candidate: QueuedCandidate }) {
  const status = statusFor(CANDIDATE, candidate.state);
  const row = useChangeHighlight<HTMLLIElement>(`${candidate.state} ${candidate.position}`);
  return (
    <li className="row" ref={row}>
      <span className="quiet">{candidate.position}</span>
      <div className="words">
        <Link to={`?candidate=${candidate.candidate_id}`}>{candidate.name}</Link>
        {candidate.reason !== null && <p className="meta">{candidate.reason}</p>}
      </div>
      <span className="quiet">
        <StatusIcon status={status} decorative /> {status.word}
      </span>
    </li>
  );
}

function SentBack({ task }: { task: RunTask }) {
  return (
    <li className="row">
      <StatusIcon status={CANDIDATE.failed!} decorative />
      <div className="words">
        <Link to={`?candidate=${task.candidate_id}`}>{task.name}</Link>
        {task.reason !== null && <p className="meta">{task.reason}</p>}
      </div>
      <span className="quiet">{task.revisions === 1 ? "once" : `${task.revisions} times`}</span>
    </li>
  );
}
