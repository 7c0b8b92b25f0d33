// Launches an agent on a task: which client, on a terminal or without, and more arguments for it.
import { useState, type FormEvent } from "react";
import { useNavigate } from "react-router";

import { useAction, useTool } from "@/api/queries";
import { Loaded } from "@/ui/states";
import { splitArguments } from "./arguments";

const ANY_PROGRAM = "command";

export function LaunchForm({ taskId, close }: { taskId: string; close: () => void }) {
  const adapters = useTool("adapter_list", {});
  return (
    <Loaded query={adapters} what="The clients could not be read">
      {(data) => <Form taskId={taskId} close={close} installed={data.adapters.filter((each) => each.installed)} />}
    </Loaded>
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
      { onSuccess: (made) => void navigate(`/executions/${made.id}`) },
    );
  };
  return (
    <form className="assign" onSubmit={submit}>
      <h2 id="launch-title">Launch an agent on this task</h2>
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
      {adapter?.interactive && (
        <label className="tick">
          <span>
            <input type="checkbox" checked={terminal} onChange={(event) => setTerminal(event.target.checked)} /> On a terminal that you can
            type into
          </span>
        </label>
      )}
      <label>
        {name === ANY_PROGRAM ? "Program and its arguments" : "More arguments for it, if any"}
        <input className="field mono" value={more} onChange={(event) => setMore(event.target.value)} />
      </label>
      <label>
        Folder to work in, if the mission names none
        <input className="field mono" value={folder} placeholder="/home/you/project" onChange={(event) => setFolder(event.target.value)} />
      </label>
      {launch.error !== null && (
        <p className="error" role="alert">
          {launch.error.message} {launch.error.hint}
        </p>
      )}
      <div className="actions">
        <button className="button primary" disabled={launch.isPending || name === "" || needsProgram}>
          Launch
        </button>
        <button type="button" className="button" onClick={close}>
          Leave it
        </button>
      </div>
    </form>
  );
}
