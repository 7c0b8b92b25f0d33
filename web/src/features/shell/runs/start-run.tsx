// Runs agents on the ready tasks of a mission: a run that keeps them busy until the mission is done, or one launch.
import { useState } from "react";

import { useTool } from "@/api/use-tool";
import { useOnline } from "@/live/live-connection";
import { Segmented } from "@/ui/basics";
import { DialogButton } from "@/ui/dialog";
import { SelectField } from "@/ui/form";
import { Icon } from "@/ui/icons";
import { Loaded } from "@/ui/query-states";
import { useLiveRuns, useOverview } from "../use-overview";
import { LaunchOnceForm } from "./launch-once-form";
import { RunForm } from "./run-form";
import "./start-run.css";

interface StartRunProps {
  /** The mission; without one, the dialog asks for it. */
  missionId?: string;
  name?: string;
}

export function StartRunButton({ missionId, name, primary = true }: StartRunProps & { primary?: boolean }) {
  const online = useOnline();
  return (
    <DialogButton
      word={
        <>
          <Icon name="play" /> {missionId === undefined ? "Run agents…" : "Run…"}
        </>
      }
      titled="start-run-title"
      off={!online}
      variant={primary ? "primary" : ""}
    >
      {(close) =>
        missionId === undefined ? (
          <StartAnyRunForm close={close} />
        ) : (
          <StartRunForm missionId={missionId} name={name ?? ""} close={close} />
        )
      }
    </DialogButton>
  );
}

export function StartRunForm({ missionId, name, close }: { missionId: string; name: string; close: () => void }) {
  return (
    <div className="form">
      <h2 id="start-run-title">Run “{name}”</h2>
      <AgentsForm missionId={missionId} close={close} />
    </div>
  );
}

/** The form with a choice of mission. A mission that is already being run is not offered. */
export function StartAnyRunForm({ close }: { close: () => void }) {
  const [mission, setMission] = useState("");
  const running = new Set(useLiveRuns().data?.runs.map((run) => run.mission_id));
  const missions = (useOverview().data?.missions ?? []).filter(({ id, tasks }) => tasks.total > 0 && !running.has(id));
  return (
    <div className="form">
      <h2 id="start-run-title">Run agents on ready tasks</h2>
      {missions.length === 0 && <p>No open mission has tasks to run. Create one, or let an agent plan it.</p>}
      <SelectField label="Mission" none="Select a mission" of={missions} value={mission} change={setMission} />
      <AgentsForm key={mission} missionId={mission} close={close} />
    </div>
  );
}

const MODES = [
  ["refill", "Until it is done"],
  ["once", "Launch once"],
] as const;
const WORDS = {
  refill:
    "A run: whenever an agent finishes, the next ready task gets one. Results that pass their checks are merged into a separate branch; your own branch and files do not change until you land the run.",
  once: "Each agent takes one ready task, works on it and ends. No other agent is launched after that, and nothing is merged.",
};

function AgentsForm({ missionId, close }: { missionId: string; close: () => void }) {
  const adapters = useTool("adapter_list", {});
  const [mode, setMode] = useState<(typeof MODES)[number][0]>("refill");
  const Form = mode === "refill" ? RunForm : LaunchOnceForm;
  return (
    <>
      <Segmented label="How long agents are launched" options={MODES} value={mode} choose={setMode} />
      <p className="quiet">{WORDS[mode]}</p>
      <Loaded query={adapters} what="clients">
        {(data) => (
          <Form missionId={missionId} close={close} clients={data.adapters.filter((client) => client.installed)} />
        )}
      </Loaded>
    </>
  );
}
