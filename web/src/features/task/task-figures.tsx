// A task at a glance: duration, cost, changed lines, checks, attempts.
import type { ReactNode } from "react";

import type { MissionTask, TaskRecord } from "@/api/types";
import { useTool } from "@/api/use-tool";
import { LineCounts } from "@/features/shell/changes/line-counts";
import { describeRound } from "@/features/shell/evidence/evidence-card";
import type { TaskExecutions } from "@/features/shell/executions/use-task-executions";
import { taskCost, taskSeconds } from "@/features/shell/tasks/task-facts";
import { Time } from "@/ui/basics";
import { count, describeFailedAttempts, plural, span } from "@/ui/format";
import { useNow } from "@/ui/hooks/use-server-clock";

interface FiguresProps {
  task: TaskRecord;
  shown: MissionTask | undefined;
  launched: TaskExecutions;
}

export function TaskFigures({ task, shown, launched }: FiguresProps) {
  const now = useNow();
  const files = useTool("overview_files", { task_id: task.id }).data;
  const seconds = shown === undefined ? null : taskSeconds(shown, now);
  const cost = taskCost(launched, seconds !== null);
  const checks = useTool("overview_proof", { task_id: task.id }).data?.checks ?? [];
  return (
    <dl className="figures task-figures">
      <Figure name="Duration" value={seconds === null ? "–" : span(seconds)}>
        {shown?.started_at != null ? (
          <>
            since <Time at={shown.started_at} />
          </>
        ) : (
          "not started"
        )}
      </Figure>
      <Figure name="Cost" value={cost?.value ?? "–"}>
        {cost?.note ?? "nothing spent"}
      </Figure>
      <Figure name="Changes" value={files?.known === true ? plural(files.total, "file") : "–"}>
        {files?.known === true ? <LineCounts of={files} /> : "no working tree yet"}
        {(files?.outside ?? 0) > 0 && <span className="outside"> · {count(files!.outside)} outside its areas</span>}
      </Figure>
      <Figure name="Checks" value={checks.length === 0 ? "none" : `${passed(checks)} of ${checks.length}`}>
        {checks.length === 0 ? "nothing can prove it" : describeRound({ checks })}
      </Figure>
      <Figure name="Attempts" value={String(Math.max(task.attempts, launched.executions.length))}>
        {task.failed_attempts > 0 ? (
          <span className="failed-attempts">{describeFailedAttempts(task.failed_attempts)}</span>
        ) : (
          "none failed"
        )}
      </Figure>
    </dl>
  );
}

const passed = (checks: readonly { state: string }[]) => checks.filter((check) => check.state === "passed").length;

function Figure({ name, value, children }: { name: string; value: string; children: ReactNode }) {
  return (
    <div className="figure">
      <dt>{name}</dt>
      <dd>
        <div className="value">{value}</div>
        <div className="note">{children}</div>
      </dd>
    </div>
  );
}
