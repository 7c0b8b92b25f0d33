// What a person can do with a task: give it to an agent, take it back, retry, skip.
import { useState, type FormEvent } from "react";

import { useAction, useTool, useWholeList } from "@/api/use-tool";
import type { TaskRecord } from "@/api/types";
import { LaunchForm } from "@/features/executions/launch-form";
import { useOnline } from "@/live/live-connection";
import { DialogButton } from "@/ui/dialog";
import { FormEnd, Refusal } from "@/ui/form";
import { Loaded } from "@/ui/query-states";

const OPEN = ["pending", "blocked", "planning", "in_progress", "paused", "review"];

export function Actions({ task }: { task: TaskRecord }) {
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
          <button type="button" className="button primary" disabled={off} onClick={() => move.mutate({ id: task.id, status: "pending" })}>
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
          <button type="button" className="button" disabled={off} onClick={() => move.mutate({ id: task.id, status: "skipped" })}>
            Skip
          </button>
        )}
      </div>
      <Refusal error={error} />
    </>
  );
}

/** Gives a task that is only named here to another agent. */
export function Reassign({ taskId, done, small = false }: { taskId: string; done: () => void; small?: boolean }) {
  const online = useOnline();
  return (
    <DialogButton word="Reassign" titled="assign-title" off={!online} look={small ? "small" : ""}>
      {(close) => <AssignNamed taskId={taskId} close={close} done={done} />}
    </DialogButton>
  );
}

function AssignNamed({ taskId, close, done }: { taskId: string; close: () => void; done: () => void }) {
  const task = useTool("task_get", { id: taskId });
  return (
    <Loaded query={task} what="The task could not be read">
      {(data) => <AssignForm task={data} close={close} done={done} />}
    </Loaded>
  );
}

function AssignForm({ task, close, done }: { task: TaskRecord; close: () => void; done?: () => void }) {
  const agents = useWholeList("agent_list", { status: ["online", "busy"] });
  const claim = useAction("task_claim");
  const release = useAction("task_release");
  const [chosen, choose] = useState("");
  const [held, setHeld] = useState<string | null>(null);
  const free = (agents.data?.agents ?? []).filter((agent) => agent.status !== "offline" && agent.id !== task.assigned_agent_id);
  const give = async (event: FormEvent) => {
    event.preventDefault();
    if (chosen === "") return;
    if (task.assigned_agent_id !== null)
      await release.mutateAsync({ task_id: task.id, agent_id: task.assigned_agent_id, reason: "Given to another agent" });
    const given = await claim.mutateAsync({ task_id: task.id, agent_id: chosen });
    if (given.success) {
      close();
      done?.();
    } else setHeld("The task cannot be taken now: it waits for others, or somebody else has it.");
  };
  const error = claim.error ?? release.error;
  return (
    <form className="form" onSubmit={(event) => void give(event).catch(() => undefined)}>
      <h2 id="assign-title">Give this task to an agent</h2>
      <label>
        Agent
        <select className="field" value={chosen} onChange={(event) => choose(event.target.value)} required>
          <option value="">Choose one</option>
          {free.map((agent) => (
            <option key={agent.id} value={agent.id}>
              {agent.name} ({agent.status}
              {agent.current_task_id !== null ? ", has a task" : ""})
            </option>
          ))}
        </select>
      </label>
      <p className="quiet">
        The agent holds it from now on. It learns of it when it next asks what it has to do.
        {task.assigned_agent_id !== null && " Whoever has it now loses it."}
      </p>
      <FormEnd act="Assign" off={claim.isPending || release.isPending || chosen === ""} error={error ?? held} leave={close} />
    </form>
  );
}
