// Says how to take a task over: the command that opens a shell in its worktree.
import { CopyableCommand } from "@/ui/basics";
import { DialogButton } from "@/ui/dialog";
import { CancelButton } from "@/ui/form";

export function TakeOverButton({ taskId }: { taskId: string }) {
  return (
    <DialogButton word="Take over…" titled={`take-over-${taskId}`} off={false}>
      {(close) => (
        <div className="form">
          <h2 id={`take-over-${taskId}`}>Take over this task</h2>
          <p className="quiet">
            This command opens a shell in the task's worktree, on the machine that runs Mission Control. The review
            stays open: approve your own result, or send it back.
          </p>
          <CopyableCommand command={`mission shell ${taskId}`} />
          <div className="actions">
            <CancelButton cancel={close} word="Close" />
          </div>
        </div>
      )}
    </DialogButton>
  );
}
