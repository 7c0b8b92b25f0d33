// The tasks of a run in columns by stage. The usual way keeps its place; what is held up comes below.
import { useState } from "react";
import { Link } from "react-router";

import type { RunDetail, RunTask } from "@/api/types";
import { stageStatus } from "@/features/shell/runs/run-status";
import { count, countdown, plural } from "@/ui/format";
import { useChangeHighlight } from "@/ui/hooks/use-change-highlight";
import { useNow } from "@/ui/hooks/use-server-clock";
import { STAGE, statusFor } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";

const USUAL = ["waiting", "working", "checking", "reviewing", "merging", "merged"];
const HELD_UP = ["asking", "retrying", "failed", "skipped"];
const NEEDS = new Set(["asking", "reviewing"]);
const SHOWN = 12;

export function StageColumns({ run }: { run: RunDetail }) {
  const heldUp = HELD_UP.filter((stage) => (run.counts[stage] ?? 0) > 0);
  return (
    <section className="stages" aria-label="Tasks by stage">
      <div className="stage-columns">
        {USUAL.map((stage) => (
          <StageColumn key={stage} stage={stage} run={run} />
        ))}
      </div>
      {heldUp.length > 0 && (
        <div className="stage-columns held-up">
          {heldUp.map((stage) => (
            <StageColumn key={stage} stage={stage} run={run} />
          ))}
        </div>
      )}
    </section>
  );
}

function StageColumn({ stage, run }: { stage: string; run: RunDetail }) {
  const [open, setOpen] = useState(false);
  const tasks = run.tasks.filter((task) => task.stage === stage);
  const shown = open ? tasks : tasks.slice(0, SHOWN);
  const status = statusFor(STAGE, stage);
  return (
    <section className="card stage" data-stage={stage} data-empty={tasks.length === 0 || undefined}>
      <header>
        <StatusIcon status={status} decorative />
        <h2>
          {status.word} <span className="count">{count(run.counts[stage] ?? 0)}</span>
        </h2>
      </header>
      {tasks.length > 0 && (
        <ul className="lined">
          {shown.map((task) => (
            <StageTask key={task.task_id} task={task} />
          ))}
        </ul>
      )}
      {shown.length < tasks.length && (
        <button type="button" className="fold" onClick={() => setOpen(true)}>
          {tasks.length - shown.length} more
        </button>
      )}
    </section>
  );
}

function StageTask({ task }: { task: RunTask }) {
  const row = useChangeHighlight<HTMLLIElement>(`${task.stage} ${task.execution_id} ${task.candidate_id}`);
  const tries = describeTries(task);
  return (
    <li className="row" ref={row} data-needs={NEEDS.has(task.stage) || undefined} data-proof={proofOf(task)}>
      <StatusIcon status={stageStatus(task)} />
      <div className="words">
        <Link to={`/tasks/${task.task_id}`}>{task.name}</Link>
        {task.reason !== null && <p className="meta">{task.reason}</p>}
        {task.retry_at !== null && <RetryTime at={task.retry_at} />}
        {tries !== "" && <p className="meta">{tries}</p>}
        {task.denied.map((each) => (
          <p className="meta" key={`${each.tool} ${each.detail}`}>
            Denied by its client: {each.tool} {each.detail}
          </p>
        ))}
        <p className="meta links">
          {task.candidate_id !== null && <Link to={`?candidate=${task.candidate_id}`}>Candidate</Link>}
          {task.execution_id !== null && task.stage === "working" && (
            <Link to={`/executions/${task.execution_id}`}>Terminal</Link>
          )}
        </p>
      </div>
    </li>
  );
}

/** Solid is proved, dashed is not. */
function proofOf(task: RunTask): "solid" | "dashed" | undefined {
  if (task.stage !== "merged") return undefined;
  return task.proof_state === "proved" || task.proof_state === "accepted" ? "solid" : "dashed";
}

function RetryTime({ at }: { at: string }) {
  const left = (Date.parse(at) - useNow()) / 1_000;
  return <p className="meta">{left > 0 ? `retrying in ${countdown(left)}` : "retrying now"}</p>;
}

/** Return `2 attempts without a report · sent back 3 times`, without what the reason says already. */
function describeTries({ attempts, revisions, stage }: RunTask): string {
  const parts: string[] = [];
  if (attempts > 0 && stage !== "retrying") parts.push(`${plural(attempts, "attempt")} without a report`);
  if (revisions > 1 || (revisions === 1 && stage !== "retrying"))
    parts.push(`sent back ${revisions === 1 ? "once" : `${revisions} times`}`);
  return parts.join(" · ");
}
