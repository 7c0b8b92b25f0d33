// The header of a run: its mission, state and reason, and what can be done with it.
import { Link } from "react-router";

import type { RunDetail } from "@/api/types";
import { useAction } from "@/api/use-tool";
import { isLiveRun, runStatus } from "@/features/shell/runs/run-status";
import { useOnline } from "@/live/live-connection";
import { CopyableId } from "@/ui/basics";
import { ConfirmButton, ErrorMessage } from "@/ui/form";
import { Icon } from "@/ui/icons";
import { StatusPill } from "@/ui/status/status-icon";
import { EditRunButton } from "./edit-run";
import { LandButton } from "./land-run";

export function RunHeader({ run }: { run: RunDetail }) {
  return (
    <header>
      <nav className="crumbs" aria-label="Breadcrumbs">
        <Link to="/runs">Runs</Link>
        <Icon name="chevron" size={10} />
        <Link to={`/missions/${run.mission_id}`}>{run.mission_name}</Link>
        <Icon name="chevron" size={10} />
        <CopyableId id={run.run_id} />
      </nav>
      <Controls run={run} />
      {run.reason !== null && <p className="quiet run-reason">{run.reason}</p>}
      {run.merging_stopped !== null && (
        <p className="run-warning" role="note">
          Merging is on hold: {run.merging_stopped}
        </p>
      )}
      {run.warning !== null && (
        <p className="run-warning" role="note">
          {run.warning}
        </p>
      )}
    </header>
  );
}

function Controls({ run }: { run: RunDetail }) {
  const online = useOnline();
  const pause = useAction("run_pause");
  const resume = useAction("run_resume");
  const stop = useAction("run_stop");
  const live = isLiveRun(run);
  const off = !online || pause.isPending || resume.isPending || stop.isPending;
  const of = { run_id: run.run_id };
  /** Act, and forget the refusals of other buttons. */
  const act = (action: { mutate: (args: typeof of) => void }) => {
    for (const each of [pause, resume, stop]) each.reset();
    action.mutate(of);
  };
  return (
    <>
      <div className="page-head">
        <h1>{run.mission_name}</h1>
        <StatusPill status={runStatus(run, run.questions.length)} />
        <div className="actions">
          {live && run.state !== "paused" && (
            <button
              type="button"
              className="button"
              title="Running agents finish; no new ones are launched"
              disabled={off}
              onClick={() => act(pause)}
            >
              <Icon name="pause" /> Pause
            </button>
          )}
          {run.state === "paused" && (
            <button type="button" className="button primary" disabled={off} onClick={() => act(resume)}>
              <Icon name="play" /> Resume
            </button>
          )}
          {live && (
            <ConfirmButton
              word="Stop"
              again="Stop the run now"
              title="End the run and stop its agents. Merged work stays on the run's branch."
              off={off}
              act={() => act(stop)}
            />
          )}
          <EditRunButton run={run} />
          <LandButton run={run} />
        </div>
      </div>
      <ErrorMessage error={pause.error} what="Could not pause the run" />
      <ErrorMessage error={resume.error} what="Could not resume the run" />
      <ErrorMessage error={stop.error} what="Could not stop the run" />
    </>
  );
}
