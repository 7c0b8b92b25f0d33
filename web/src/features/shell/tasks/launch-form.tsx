// The form that launches an agent on a task: client, terminal, arguments and folder.
import { type FormEvent, useState } from "react";
import { useNavigate } from "react-router";

import { useAction, useTool } from "@/api/use-tool";
import { useOverview } from "@/features/shell/use-overview";
import { FolderField, FormFooter, OptionalLabel, SelectField } from "@/ui/form";
import { Loaded } from "@/ui/query-states";
import { ANY_PROGRAM, modelArguments, splitArguments } from "./client-arguments";

/** The form for one task; `bare` leaves out the heading. Without a task it can be filled in but not sent. */
export function LaunchForm({ taskId, close, bare = false }: { taskId: string; close: () => void; bare?: boolean }) {
  const adapters = useTool("adapter_list", {});
  return (
    <div className="form">
      {!bare && <h2 id="launch-title">Launch an agent on this task</h2>}
      <Loaded query={adapters} what="clients">
        {(data) => <Form taskId={taskId} close={close} installed={data.adapters.filter((each) => each.installed)} />}
      </Loaded>
    </div>
  );
}

/** The form with a choice of mission and task. */
export function LaunchAnyTaskForm({ close }: { close: () => void }) {
  const missions = useOverview().data?.missions ?? [];
  const [mission, setMission] = useState("");
  const [task, setTask] = useState("");
  const next = useTool(
    "workflow_next_tasks",
    { workflow_id: mission, include_failed: true },
    { enabled: mission !== "" },
  );
  const chooseMission = (id: string) => {
    setMission(id);
    setTask("");
  };
  return (
    <div className="form">
      <h2 id="launch-title">Launch an agent</h2>
      {missions.length === 0 && (
        <p>There are no open missions. Create a mission with a task before you launch an agent.</p>
      )}
      <SelectField label="Mission" none="Select a mission" of={missions} value={mission} change={chooseMission} />
      {next.data?.tasks.length === 0 ? (
        <p>No tasks in this mission are ready. Each one is claimed, finished, or waiting for another.</p>
      ) : (
        <SelectField
          label="Ready task"
          none={mission === "" ? "Select a mission first" : "Select a task"}
          of={next.data?.tasks ?? []}
          value={task}
          change={setTask}
        />
      )}
      <LaunchForm taskId={task} close={close} bare />
    </div>
  );
}

interface FormProps {
  taskId: string;
  close: () => void;
  installed: { name: string; title: string; interactive: boolean }[];
}

function Form({ taskId, close, installed }: FormProps) {
  const navigate = useNavigate();
  const launch = useAction("execution_launch");
  const [name, setName] = useState(installed[0]?.name ?? "");
  const [terminal, setTerminal] = useState(true);
  const [model, setModel] = useState("");
  const [more, setMore] = useState("");
  const [folder, setFolder] = useState("");
  const adapter = installed.find((each) => each.name === name);
  const needsProgram = name === ANY_PROGRAM && more.trim() === "";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    launch.mutate(
      {
        task_id: taskId,
        adapter: name,
        interactive: terminal && (adapter?.interactive ?? false),
        arguments: [...modelArguments(name, model), ...splitArguments(more)],
        ...(folder.trim() !== "" ? { repository_path: folder.trim() } : {}),
      },
      {
        onSuccess: (made) => {
          close();
          void navigate(`/executions/${made.id}`);
        },
      },
    );
  };
  return (
    <form className="form" onSubmit={submit}>
      <label>
        Client
        <select className="field" value={name} onChange={(event) => setName(event.target.value)}>
          {installed.map((each) => (
            <option key={each.name} value={each.name}>
              {each.title}
            </option>
          ))}
        </select>
      </label>
      {installed.every((each) => each.name === ANY_PROGRAM) && (
        <p className="quiet">No agent client is installed on this machine. You can launch any program instead.</p>
      )}
      {adapter?.interactive && (
        <label className="tick">
          <input type="checkbox" checked={terminal} onChange={(event) => setTerminal(event.target.checked)} />{" "}
          Interactive terminal
        </label>
      )}
      {name !== ANY_PROGRAM && (
        <label>
          <OptionalLabel>Model</OptionalLabel>
          <input
            className="field mono"
            value={model}
            placeholder="the client's default"
            onChange={(event) => setModel(event.target.value)}
          />
        </label>
      )}
      <label>
        <OptionalLabel when={name !== ANY_PROGRAM}>
          {name === ANY_PROGRAM ? "Program and arguments" : "Additional arguments"}
        </OptionalLabel>
        <input className="field mono" value={more} onChange={(event) => setMore(event.target.value)} />
      </label>
      <FolderField
        label={<OptionalLabel>Working folder, if the mission has none</OptionalLabel>}
        value={folder}
        change={setFolder}
      />
      <FormFooter
        act="Launch"
        off={launch.isPending || taskId === "" || name === "" || needsProgram}
        error={launch.error}
        cancel={close}
      />
    </form>
  );
}
