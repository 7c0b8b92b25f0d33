// Dialogs of a workspace: how to open it in a shell, and how to merge its branch.
import { type FormEvent, useState } from "react";
import { Link } from "react-router";

import type { WorkspaceGlance } from "@/api/types";
import { useAction } from "@/api/use-tool";
import { CopyableCommand } from "@/ui/basics";
import { DialogButton } from "@/ui/dialog";
import { CancelButton, FormFooter } from "@/ui/form";
import { workingIn } from "./workspace-status";

/** A branch of a task in a run, which the run merges: the run's branch, a dot and the task. */
const OF_RUN = /^mission\/.+\.[0-9a-z]{10}$/;

export function OpenButton({ workspace }: { workspace: WorkspaceGlance }) {
  const titled = `open-${workspace.id}`;
  const task = workspace.tasks[0];
  return (
    <DialogButton word="Open" titled={titled} off={false} variant="small">
      {(close) => (
        <div className="form">
          <h2 id={titled}>Open {workspace.branch}</h2>
          <p className="quiet">The worktree is a folder on {workspace.host_id}. Open it in a shell or an editor:</p>
          <CopyableCommand command={`cd ${quoted(workspace.path)}`} />
          {task !== undefined && <CopyableCommand command={`mission shell ${task.id}`} />}
          <div className="actions">
            <CancelButton cancel={close} word="Close" />
          </div>
        </div>
      )}
    </DialogButton>
  );
}

export function MergeButton({ workspace, changed }: { workspace: WorkspaceGlance; changed: () => void }) {
  const titled = `merge-${workspace.id}`;
  return (
    <DialogButton word="Merge" titled={titled} off={false} variant="small">
      {(close) => (
        <>
          <h2 id={titled}>Merge {workspace.branch}</h2>
          {OF_RUN.test(workspace.branch) ? (
            <RunMerges workspace={workspace} close={close} />
          ) : (
            <MergeForm workspace={workspace} close={close} changed={changed} />
          )}
        </>
      )}
    </DialogButton>
  );
}

function RunMerges({ workspace, close }: { workspace: WorkspaceGlance; close: () => void }) {
  return (
    <div className="form">
      <p>
        A run owns this branch and merges it once its checks have passed.{" "}
        <Link to={`/missions/${workspace.workflow_id}`}>See its mission</Link>
      </p>
      <div className="actions">
        <CancelButton cancel={close} word="Close" />
      </div>
    </div>
  );
}

interface MergeFormProps {
  workspace: WorkspaceGlance;
  close: () => void;
  changed: () => void;
}

function MergeForm({ workspace, close, changed }: MergeFormProps) {
  const update = useAction("workspace_update");
  const [commit, setCommit] = useState("");
  const busy = workingIn(workspace);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wanted = { id: workspace.id, status: "merged" as const, merge_commit: commit.trim() };
    update.mutate(wanted, {
      onSuccess: () => {
        changed();
        close();
      },
    });
  };
  return (
    <form className="form" onSubmit={submit}>
      {busy !== null && (
        <p className="error">An agent still works here: {busy.name}. What it changes later is not merged.</p>
      )}
      <p className="quiet">
        Merge it in the repository, on {workspace.base_branch ?? "the branch you want it on"}. Mission Control leaves
        your checkout alone, so the merge is yours:
      </p>
      <CopyableCommand
        command={`git -C ${quoted(workspace.repository_path)} merge --no-ff ${quoted(workspace.branch)}`}
      />
      <label>
        Merge commit
        <input
          className="field mono"
          value={commit}
          placeholder="git rev-parse HEAD"
          onChange={(event) => setCommit(event.target.value)}
        />
      </label>
      <FormFooter
        act="Mark as merged"
        off={update.isPending || commit.trim() === ""}
        error={update.error}
        cancel={close}
      />
    </form>
  );
}

/** Return a text as one word of a shell command. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
