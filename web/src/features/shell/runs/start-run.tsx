// Starts a run of a mission: which agents, who reviews, what may be spent, and whether it lands by itself.
import { type FormEvent, useState } from "react";
import { useNavigate } from "react-router";

import type { AdapterRow, AgentKind, StartRun } from "@/api/types";
import { useAction, useTool } from "@/api/use-tool";
import { useOnline } from "@/live/live-connection";
import { DialogButton } from "@/ui/dialog";
import { FormFooter, OptionalLabel } from "@/ui/form";
import { Icon } from "@/ui/icons";
import { Loaded } from "@/ui/query-states";
import { splitArguments } from "../tasks/split-arguments";
import { BudgetFields, budgetOf, type LimitTexts, type Review, ReviewField } from "./run-option-fields";
import "./start-run.css";

const ANY_PROGRAM = "command";

export function StartRunButton({ missionId, name }: { missionId: string; name: string }) {
  const online = useOnline();
  return (
    <DialogButton
      word={
        <>
          <Icon name="play" /> Run…
        </>
      }
      titled="start-run-title"
      off={!online}
      variant="primary"
    >
      {(close) => <StartRunForm missionId={missionId} name={name} close={close} />}
    </DialogButton>
  );
}

function StartRunForm({ missionId, name, close }: { missionId: string; name: string; close: () => void }) {
  const adapters = useTool("adapter_list", {});
  return (
    <div className="form">
      <h2 id="start-run-title">Run “{name}”</h2>
      <p className="quiet">
        Agents work on the open tasks. Results that pass their checks are merged into a separate branch; your own branch
        and files do not change until you land the run.
      </p>
      <Loaded query={adapters} what="clients">
        {(data) => (
          <Form missionId={missionId} close={close} clients={data.adapters.filter((client) => client.installed)} />
        )}
      </Loaded>
    </div>
  );
}

interface FormProps {
  missionId: string;
  close: () => void;
  clients: readonly AdapterRow[];
}

function Form({ missionId, close, clients }: FormProps) {
  const navigate = useNavigate();
  const start = useAction("run_start");
  const [counts, setCounts] = useState<Record<string, number>>(() => firstCounts(clients));
  const [program, setProgram] = useState("");
  const [review, setReview] = useState<Review>("risk");
  const [limits, setLimits] = useState<LimitTexts>({});
  const [target, setTarget] = useState("");
  const [land, setLand] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const agents = agentsOf(clients, counts, program);
    const args: StartRun = {
      mission_id: missionId,
      ...(agents.length > 0 ? { agents } : {}),
      review,
      land,
      ...budgetOf(limits),
      ...(target.trim() !== "" ? { target: target.trim() } : {}),
    };
    // A promise, because the event of the new run may remove this dialog before the answer comes.
    start.mutateAsync(args).then(
      (run) => {
        close();
        void navigate(`/runs/${run.run_id}`);
      },
      () => undefined, // shown below the form
    );
  };
  return (
    <form className="form start-run" onSubmit={submit} noValidate>
      <Clients
        clients={clients}
        counts={counts}
        change={(client, count) => setCounts({ ...counts, [client]: count })}
        program={program}
        setProgram={setProgram}
      />
      <ReviewField review={review} change={setReview} />
      <BudgetFields limits={limits} change={setLimits} hint="leave a field empty for no limit" />
      <label>
        <OptionalLabel>Branch to land on</OptionalLabel>
        <input
          className="field mono"
          value={target}
          placeholder="the branch that is currently checked out"
          onChange={(event) => setTarget(event.target.value)}
        />
      </label>
      <label className="tick">
        <input type="checkbox" checked={land} onChange={(event) => setLand(event.target.checked)} /> Land automatically
        once the final checks pass
      </label>
      <FormFooter act="Start run" off={start.isPending} error={start.error} cancel={close} />
    </form>
  );
}

interface ClientsProps {
  clients: readonly AdapterRow[];
  counts: Record<string, number>;
  change: (client: string, count: number) => void;
  program: string;
  setProgram: (text: string) => void;
}

/** Ask how many agents of each installed client may work at once. */
function Clients({ clients, counts, change, program, setProgram }: ClientsProps) {
  const runsProgram = (counts[ANY_PROGRAM] ?? 0) > 0;
  return (
    <fieldset className="clients">
      <legend>
        Agents <span className="meta">how many of each may work at once</span>
      </legend>
      {clients.map((client) => (
        <label key={client.name}>
          <span>
            {client.title} {client.version !== null && <span className="meta">{client.version}</span>}
          </span>
          <input
            className="field"
            type="number"
            min={0}
            max={1_000}
            value={counts[client.name] ?? 0}
            onChange={(event) => change(client.name, Math.max(0, Math.floor(Number(event.target.value))))}
          />
        </label>
      ))}
      {clients.every((client) => client.name === ANY_PROGRAM) && (
        <p className="quiet">No agent client is installed on this machine. You can run any program instead.</p>
      )}
      {runsProgram && (
        <label className="program">
          <span>Program and arguments</span>
          <input className="field mono" value={program} onChange={(event) => setProgram(event.target.value)} />
        </label>
      )}
    </fieldset>
  );
}

/** Return one agent of the first client. */
function firstCounts(clients: readonly AdapterRow[]): Record<string, number> {
  const first = clients.find((client) => client.name !== ANY_PROGRAM) ?? clients[0];
  return first === undefined ? {} : { [first.name]: 1 };
}

function agentsOf(clients: readonly AdapterRow[], counts: Record<string, number>, program: string): AgentKind[] {
  return clients
    .filter((client) => (counts[client.name] ?? 0) > 0)
    .map((client) => ({
      client: client.name,
      count: counts[client.name]!,
      ...(client.name === ANY_PROGRAM ? { command: splitArguments(program) } : {}),
    }));
}
