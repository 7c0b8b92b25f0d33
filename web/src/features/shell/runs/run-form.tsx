// The form that starts a run of a mission: agents, review, budget, and whether it lands by itself.
import { type FormEvent, useState } from "react";
import { useNavigate } from "react-router";

import type { AdapterRow, StartRun } from "@/api/types";
import { useAction } from "@/api/use-tool";
import { FormFooter, OptionalLabel } from "@/ui/form";
import { agentsOf, ClientFields, firstChoices } from "./client-choices";
import { BudgetFields, budgetOf, type LimitTexts, type Review, ReviewField } from "./run-option-fields";

export interface AgentsFormProps {
  missionId: string;
  clients: readonly AdapterRow[];
  close: () => void;
}

export function RunForm({ missionId, clients, close }: AgentsFormProps) {
  const navigate = useNavigate();
  const start = useAction("run_start");
  const [chosen, setChosen] = useState(() => firstChoices(clients));
  const [review, setReview] = useState<Review>("risk");
  const [limits, setLimits] = useState<LimitTexts>({});
  const [target, setTarget] = useState("");
  const [land, setLand] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const agents = agentsOf(clients, chosen);
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
      <ClientFields clients={clients} chosen={chosen} change={setChosen} />
      <BudgetFields limits={limits} change={setLimits} hint="leave a field empty for no limit" />
      <ReviewField review={review} change={setReview} />
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
      <FormFooter act="Start run" off={start.isPending || missionId === ""} error={start.error} cancel={close} />
    </form>
  );
}
