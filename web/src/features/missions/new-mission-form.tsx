// A mission that a person starts: a name, a goal, and the repository that agents work in.
import { useState, type FormEvent } from "react";
import { useNavigate } from "react-router";

import { useAction } from "@/api/use-tool";
import { useOnline } from "@/live/live-connection";
import { DialogButton } from "@/ui/dialog";
import { FolderField, FormEnd, Optional } from "@/ui/form";
import { Icon } from "@/ui/icons";

export function NewMission({ primary = false }: { primary?: boolean }) {
  const online = useOnline();
  const word = (
    <>
      <Icon name="plus" size={12} /> New mission
    </>
  );
  return (
    <DialogButton word={word} titled="new-mission-title" off={!online} look={primary ? "primary" : ""}>
      {(close) => <NewMissionForm close={close} />}
    </DialogButton>
  );
}

export function NewMissionForm({ close }: { close: () => void }) {
  const create = useAction("workflow_create");
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const [goal, setGoal] = useState("");
  const [folder, setFolder] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const repository = folder.trim() === "" ? {} : { repository_path: folder.trim() };
    create.mutate(
      { name: name.trim(), source_type: "prompt", source_content: goal.trim() || name.trim(), ...repository },
      { onSuccess: (made) => void navigate(`/missions/${made.id}`) },
    );
  };
  return (
    <form className="form" onSubmit={submit}>
      <h2 id="new-mission-title">New mission</h2>
      <label>
        Name
        <input className="field" value={name} maxLength={200} required onChange={(event) => setName(event.target.value)} />
      </label>
      <label>
        What is to be reached
        <textarea className="field" rows={4} value={goal} onChange={(event) => setGoal(event.target.value)} />
      </label>
      <FolderField label={<Optional>Folder of the repository</Optional>} value={folder} change={setFolder} />
      <p className="quiet">It waits for a plan: an agent sets one over MCP, or you add tasks yourself.</p>
      <FormEnd act="Start it" off={create.isPending || name.trim() === ""} error={create.error} leave={close} />
    </form>
  );
}
