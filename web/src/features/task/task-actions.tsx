// Actions on a task: retry, launch, assign, release, skip.

import type { TaskRecord } from "@/api/types";
import { useAction } from "@/api/use-tool";
import { AssignForm } from "@/features/shell/tasks/assign-form";
import { LaunchForm } from "@/features/shell/tasks/launch-form";
import { useOnline } from "@/live/live-connection";
import { DialogButton } from "@/ui/dialog";
import { ErrorMessage } from "@/ui/form";

const OPEN = ["pending", "blocked", "planning", "in_progress", "paused", "review"];

export function TaskActions({ task }: { task: TaskRecord }) {
  const online = useOnline();
  const release = useAction("task_release");
  const move = useAction("task_update_status");
  const busy = release.isPending || move.isPending;
  const error = release.error ?? move.error;
  const off = !online || busy;
  const owner = task.assigned_agent_id;
  const open = OPEN.includes(task.status);
  return (
    <>
      <div className="actions">
        {task.status === "failed" && (
          <button
            type="button"
            className="button primary"
            disabled={off}
            onClick={() => move.mutate({ id: task.id, status: "pending" })}
          >
            Retry
          </button>
        )}
        <DialogButton
          word="Launch"
          titled="launch-title"
          off={off}
          shown={owner === null && (task.status === "pending" || task.status === "failed")}
        >
          {(close) => <LaunchForm taskId={task.id} close={close} />}
        </DialogButton>
        <DialogButton word="Assign" titled="assign-title" off={off} shown={open || task.status === "failed"}>
          {(close) => <AssignForm task={task} close={close} />}
        </DialogButton>
        {open && owner !== null && (
          <button
            type="button"
            className="button"
            disabled={off}
            onClick={() => release.mutate({ task_id: task.id, agent_id: owner, reason: "Released by the operator" })}
          >
            Release
          </button>
        )}
        {(open || task.status === "failed") && (
          <button
            type="button"
            className="button"
            disabled={off}
            onClick={() => move.mutate({ id: task.id, status: "skipped" })}
          >
            Skip
          </button>
        )}
      </div>
      <ErrorMessage error={error} />
    </>
  );
}
