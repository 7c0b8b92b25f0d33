// Assigns a task to an agent, from the task itself or from an inbox item about it.
import { type FormEvent, useState } from "react";

import type { TaskRecord } from "@/api/types";
import { useAction, useTool, useWholeList } from "@/api/use-tool";
import { useOnline } from "@/live/live-connection";
import { DialogButton } from "@/ui/dialog";
import { FormFooter } from "@/ui/form";
import { Loaded } from "@/ui/query-states";

/** A button that assigns a task, given by its id, to another agent. */
export function ReassignButton({ taskId, done, small = false }: { taskId: string; done: () => void; small?: boolean }) {
  const online = useOnline();
  return (
    <DialogButton word="Reassign" titled="assign-title" off={!online} variant={small ? "small" : ""}>
      {(close) => <ReassignForm taskId={taskId} close={close} done={done} />}
    </DialogButton>
  );
}

function ReassignForm({ taskId, close, done }: { taskId: string; close: () => void; done: () => void }) {
  const task = useTool("task_get", { id: taskId });
  return (
    <Loaded query={task} what="the task">
      {(data) => <AssignForm task={data} close={close} done={done} />}
    </Loaded>
  );
}

export function AssignForm({ task, close, done }: { task: TaskRecord; close: () => void; done?: () => void }) {
  const agents = useWholeList("agent_list", { status: ["online", "busy"] });
  const claim = useAction("task_claim");
  const release = useAction("task_release");
  const [chosen, choose] = useState("");
  const [held, setHeld] = useState<string | null>(null);
  const free = (agents.data?.agents ?? []).filter(
    (agent) => agent.status !== "offline" && agent.id !== task.assigned_agent_id,
  );
  const give = async (event: FormEvent) => {
    event.preventDefault();
    if (chosen === "") return;
    if (task.assigned_agent_id !== null)
      await release.mutateAsync({
        task_id: task.id,
        agent_id: task.assigned_agent_id,
        reason: "Assigned to another agent",
      });
    const given = await claim.mutateAsync({ task_id: task.id, agent_id: chosen });
    if (given.success) {
      close();
      done?.();
    } else setHeld("The task cannot be assigned now. It is waiting for other tasks, or another agent has it.");
  };
  const error = claim.error ?? release.error;
  return (
    <form className="form" onSubmit={(event) => void give(event).catch(() => undefined)}>
      <h2 id="assign-title">Assign this task to an agent</h2>
      <label>
        Agent
        <select className="field" value={chosen} onChange={(event) => choose(event.target.value)} required>
          <option value="">Select an agent</option>
          {free.map((agent) => (
            <option key={agent.id} value={agent.id}>
              {agent.name} ({agent.status}
              {agent.current_task_id !== null ? ", has a task" : ""})
            </option>
          ))}
        </select>
      </label>
      <p className="quiet">
        The agent will own this task and see it the next time it asks for work.
        {task.assigned_agent_id !== null && " The current owner will lose it."}
      </p>
      <FormFooter
        act="Assign"
        off={claim.isPending || release.isPending || chosen === ""}
        error={error ?? held}
        cancel={close}
      />
    </form>
  );
}
