// A task that a person adds to a mission: what, in which phase, after which others.
import { useState, type FormEvent } from "react";

import { useAction } from "@/api/use-tool";
import type { MissionOverview } from "@/api/types";
import { useOnline } from "@/live/live-connection";
import { DialogButton } from "@/ui/dialog";
import { FormEnd, Optional, SelectField } from "@/ui/form";
import { phaseName } from "@/ui/format";

export function AddTask({ mission }: { mission: MissionOverview }) {
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
    add.mutate({ id: mission.id, tasks: [after === "" ? task : { ...task, depends_on: [after] }] }, { onSuccess: close });
  };
  const earlier = mission.tasks.filter((task) => task.phase <= phase);
  return (
    <form className="form" onSubmit={submit}>
      <h2 id="add-task-title">Add a task</h2>
      <label>
        Name
        <input className="field" value={name} maxLength={200} required onChange={(event) => setName(event.target.value)} />
      </label>
      <label>
        What is to be done
        <textarea className="field" rows={3} value={goal} onChange={(event) => setGoal(event.target.value)} />
      </label>
      <label>
        Phase
        <select className="field" value={phase} onChange={(event) => setPhase(Number(event.target.value))}>
          {open.map((each) => (
            <option key={each.number} value={each.number}>
              {phaseName(each)}
            </option>
          ))}
          <option value={last + 1}>{`${last + 1}, a new one`}</option>
        </select>
      </label>
      <SelectField
        label={<Optional>After</Optional>}
        none="nothing: it can begin with its phase"
        of={earlier}
        value={after}
        change={setAfter}
      />
      <FormEnd act="Add it" off={add.isPending || name.trim() === ""} error={add.error} leave={close} />
    </form>
  );
}
