// The form for a new mission: name, goal, and the repository that agents work in.
import { type FormEvent, useState } from "react";
import { useNavigate } from "react-router";

import { useAction } from "@/api/use-tool";
import { useOnline } from "@/live/live-connection";
import { DialogButton } from "@/ui/dialog";
import { FolderField, FormFooter, NameField, OptionalLabel, TextField } from "@/ui/form";
import { Icon } from "@/ui/icons";

export function NewMissionButton({ primary = false }: { primary?: boolean }) {
  const online = useOnline();
  const word = (
    <>
      <Icon name="plus" size={12} /> New mission
    </>
  );
  return (
    <DialogButton word={word} titled="new-mission-title" off={!online} variant={primary ? "primary" : ""}>
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
      <NameField value={name} change={setName} />
      <TextField label="Goal" rows={4} value={goal} change={setGoal} />
      <FolderField label={<OptionalLabel>Repository folder</OptionalLabel>} value={folder} change={setFolder} />
      <p className="quiet">The mission then waits for a plan. An agent sets one over MCP, or you add tasks yourself.</p>
      <FormFooter
        act="Start mission"
        off={create.isPending || name.trim() === ""}
        error={create.error}
        cancel={close}
      />
    </form>
  );
}
