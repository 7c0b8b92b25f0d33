// Lands a run: brings its result into the target branch, or says why that is not possible.
import { type FormEvent, useState } from "react";
import { useSearchParams } from "react-router";

import type { RunDetail } from "@/api/types";
import { useAction } from "@/api/use-tool";
import { shortCommit } from "@/features/shell/runs/run-status";
import { useOnline } from "@/live/live-connection";
import { DialogButton } from "@/ui/dialog";
import { CancelButton, FormFooter, OptionalLabel } from "@/ui/form";
import { plural } from "@/ui/format";

/** The states in which landing makes sense; the server has the last word. */
const ENDED = new Set(["finishing", "finished", "stopped"]);

export function LandButton({ run }: { run: RunDetail }) {
  const online = useOnline();
  const [address] = useSearchParams();
  const landed = run.landing?.state === "landed" || typeof run.landing?.landed_at === "string";
  return (
    <DialogButton
      word="Land…"
      titled="land-title"
      off={!online}
      variant={run.state === "finished" ? "primary" : ""}
      shown={ENDED.has(run.state) && !landed}
      opens={address.has("land") && ENDED.has(run.state) && !landed}
    >
      {(close) => <LandForm run={run} close={close} />}
    </DialogButton>
  );
}

function LandForm({ run, close }: { run: RunDetail; close: () => void }) {
  const land = useAction("run_land");
  const [target, setTarget] = useState("");
  const [squash, setSquash] = useState(run.options.squash === true);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    land.mutate({ run_id: run.run_id, squash, ...(target.trim() !== "" ? { target: target.trim() } : {}) });
  };
  if (land.data !== undefined)
    return (
      <div className="form">
        <h2 id="land-title">Landed</h2>
        <p>
          <code>{land.data.target}</code> is now at <code>{shortCommit(land.data.commit)}</code>.
          {land.data.removed.length > 0 &&
            ` ${plural(land.data.removed.length, "worktree or branch", "worktrees and branches")} removed.`}
        </p>
        {land.data.kept.length > 0 && (
          <>
            <p className="quiet">These were kept:</p>
            <ul className="bullets">
              {land.data.kept.map((each) => (
                <li key={JSON.stringify(each)}>{Object.values(each).join(": ")}</li>
              ))}
            </ul>
          </>
        )}
        <div className="actions">
          <CancelButton cancel={close} word="Close" />
        </div>
      </div>
    );
  return (
    <form className="form" onSubmit={submit}>
      <h2 id="land-title">Land this run</h2>
      <p className="quiet">
        Brings <code>{run.branch}</code> into your branch. Files that you changed yourself are never overwritten. If one
        is in the way, nothing changes and the error names the file.
      </p>
      <label>
        <OptionalLabel>Branch to land on</OptionalLabel>
        <input
          className="field mono"
          value={target}
          placeholder={run.target ?? ""}
          onChange={(event) => setTarget(event.target.value)}
        />
      </label>
      <label className="tick">
        <input type="checkbox" checked={squash} onChange={(event) => setSquash(event.target.checked)} /> Land as one
        commit
      </label>
      <FormFooter act={land.isPending ? "Landing…" : "Land"} off={land.isPending} error={land.error} cancel={close} />
    </form>
  );
}
