// Launches an agent on a task: which client, on a terminal or without, and more arguments for it.
import { useState, type FormEvent } from "react";
import { useNavigate } from "react-router";

import { useAction, useTool } from "@/api/use-tool";
import { useOverview } from "@/features/shell/use-overview";
import { FolderField, FormEnd, Leave, SelectField } from "@/ui/form";
import { Loaded } from "@/ui/query-states";
import { splitArguments } from "./split-arguments";

const ANY_PROGRAM = "command";

/** For one task; `bare` where a heading stands above it already. */
export function LaunchForm({ taskId, close, bare = false }: { taskId: string; close: () => void; bare?: boolean }) {
  const adapters = useTool("adapter_list", {});
  return (
    <>
      {!bare && <h2 id="launch-title">Launch an agent on this task</h2>}
      <Loaded query={adapters} what="The clients could not be read">
        {(data) => <Form taskId={taskId} close={close} installed={data.adapters.filter((each) => each.installed)} />}
      </Loaded>
    </>
  );
}

/** The same with the task to be chosen: one that is ready, of a mission that is open. */
export function LaunchAnywhere({ close }: { close: () => void }) {
  const missions = useOverview().data?.missions ?? [];
  const [mission, setMission] = useState("");
  const [task, setTask] = useState("");
  const next = useTool("workflow_next_tasks", { workflow_id: mission, include_failed: true }, { enabled: mission !== "" });
  const chooseMission = (id: string) => {
    setMission(id);
    setTask("");
  };
  return (
    <>
      <div className="form">
        <h2 id="launch-title">Launch an agent</h2>
        {missions.length === 0 && <p>No mission is open. An agent is launched on a task, and a task belongs to a mission.</p>}
        <SelectField label="Mission" none="Choose one" of={missions} value={mission} change={chooseMission} />
        {mission !== "" && (
          <Loaded query={next} what="The tasks could not be read" rows={1}>
            {(data) =>
              data.tasks.length === 0 ? (
                <p>No task of this mission is ready: each is taken, done, or waits for another.</p>
              ) : (
                <SelectField label="Task that is ready" none="Choose one" of={data.tasks} value={task} change={setTask} />
              )
            }
          </Loaded>
        )}
      </div>
      {task !== "" ? (
        <LaunchForm key={task} taskId={task} close={close} bare />
      ) : (
        <div className="form actions">
          <Leave leave={close} />
        </div>
      )}
    </>
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
        arguments: splitArguments(more),
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
        <p className="quiet">No agent client was found on this machine. Any program can be launched in its place.</p>
      )}
      {adapter?.interactive && (
        <label className="tick">
          <input type="checkbox" checked={terminal} onChange={(event) => setTerminal(event.target.checked)} /> On a terminal that you can type into
        </label>
      )}
      <label>
        {name === ANY_PROGRAM ? "Program and its arguments" : "More arguments for it, if any"}
        <input className="field mono" value={more} onChange={(event) => setMore(event.target.value)} />
      </label>
      <FolderField label="Folder to work in, if the mission names none" value={folder} change={setFolder} />
      <FormEnd act="Launch" off={launch.isPending || name === "" || needsProgram} error={launch.error} leave={close} />
    </form>
  );
}
