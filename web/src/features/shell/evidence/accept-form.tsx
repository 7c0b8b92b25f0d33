// Accepts a task whose checks did not pass. A reason is required.
import { type FormEvent, useState } from "react";

import { useAction } from "@/api/use-tool";
import { useOnline } from "@/live/live-connection";
import { DialogButton } from "@/ui/dialog";
import { FormFooter, TextField } from "@/ui/form";

export function AcceptButton({ taskId, name, shown }: { taskId: string; name: string; shown: boolean }) {
  const online = useOnline();
  return (
    <DialogButton word="Accept…" titled={`accept-${taskId}`} off={!online} shown={shown}>
      {(close) => <AcceptForm taskId={taskId} name={name} close={close} />}
    </DialogButton>
  );
}

function AcceptForm({ taskId, name, close }: { taskId: string; name: string; close: () => void }) {
  const [reason, setReason] = useState("");
  const accept = useAction("task_accept");
  const send = (event: FormEvent) => {
    event.preventDefault();
    accept.mutate({ task_id: taskId, reason: reason.trim() }, { onSuccess: close });
  };
  return (
    <form className="form" onSubmit={send}>
      <h2 id={`accept-${taskId}`}>Accept “{name}” without proof</h2>
      <p className="quiet">
        The task is completed even though its checks did not pass, and tasks that depend on it can start. Running checks
        are stopped. The task is shown as Accepted, never as Proved, with your name and reason.
      </p>
      <TextField label="Reason" value={reason} change={setReason} rows={3} />
      <FormFooter
        act="Accept task"
        off={reason.trim() === "" || accept.isPending}
        error={accept.error}
        cancel={close}
      />
    </form>
  );
}
