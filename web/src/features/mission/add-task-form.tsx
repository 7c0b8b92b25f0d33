// The form that adds a task to a mission: name, description, phase and dependency.
import { type FormEvent, useState } from "react";

import type { MissionOverview } from "@/api/types";
import { useAction } from "@/api/use-tool";
import { useOnline } from "@/live/live-connection";
import { DialogButton } from "@/ui/dialog";
import { FormFooter, NameField, OptionalLabel, SelectField, TextField } from "@/ui/form";
import { phaseName } from "@/ui/format";

export function AddTaskButton({ mission }: { mission: MissionOverview }) {
  const online = useOnline();
  return (
    <DialogButton word="Add task" titled="add-task-title" off={!online}>
      {(close) => <AddTaskForm mission={mission} close={close} />}
    </DialogButton>
  );
}

function AddTaskForm({ mission, close }: { mission: MissionOverview; close: () => void }) {
  const add = useAction("workflow_add_tasks");
  const open = mission.phases.filter((phase) => phase.status !== "completed");
  const last = mission.phases.at(-1)?.number ?? 0;
  const [name, setName] = useState("");
  const [goal, setGoal] = useState("");
  const [phase, setPhase] = useState(open.at(-1)?.number ?? last + 1);
  const [after, setAfter] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const task = { name: name.trim(), description: goal.trim() || name.trim(), sequence: phase };
    add.mutate(
      { id: mission.id, tasks: [after === "" ? task : { ...task, depends_on: [after] }] },
      { onSuccess: close },
    );
  };
  const earlier = mission.tasks.filter((task) => task.phase <= phase);
  return (
    <form className="form" onSubmit={submit}>
      <h2 id="add-task-title">Add a task</h2>
      <NameField value={name} change={setName} />
      <TextField label="What should be done?" rows={3} value={goal} change={setGoal} />
      <label>
        Phase
        <select className="field" value={phase} onChange={(event) => setPhase(Number(event.target.value))}>
          {open.map((each) => (
            <option key={each.number} value={each.number}>
              {phaseName(each)}
            </option>
          ))}
          <option value={last + 1}>{`${last + 1} (new)`}</option>
        </select>
      </label>
      <SelectField
        label={<OptionalLabel>Depends on</OptionalLabel>}
        none="None: the task can start with its phase"
        of={earlier}
        value={after}
        change={setAfter}
      />
      <FormFooter act="Add task" off={add.isPending || name.trim() === ""} error={add.error} cancel={close} />
    </form>
  );
}
