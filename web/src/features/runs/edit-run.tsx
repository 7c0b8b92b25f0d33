// Changes the options of a run that has not ended: agents, review, budget, and how it lands.
import { type FormEvent, useState } from "react";

import type { AgentKind, RunDetail, UpdateRun } from "@/api/types";
import { useAction } from "@/api/use-tool";
import {
  BudgetFields,
  budgetOf,
  type LimitTexts,
  limitTexts,
  type Review,
  ReviewField,
} from "@/features/shell/runs/run-option-fields";
import { isLiveRun } from "@/features/shell/runs/run-status";
import { useOnline } from "@/live/live-connection";
import { DialogButton } from "@/ui/dialog";
import { FormFooter } from "@/ui/form";
import "@/features/shell/runs/start-run.css";

const NUMBERS = [
  ["max_parallel", "Agents at once", 0],
  ["attempts", "Attempts without a report", 1],
  ["revisions", "Failed results", 0],
] as const;
type NumberOption = (typeof NUMBERS)[number][0];

export function EditRunButton({ run }: { run: RunDetail }) {
  const online = useOnline();
  return (
    <DialogButton word="Options…" titled="edit-run-title" off={!online} shown={isLiveRun(run)}>
      {(close) => <EditRunForm run={run} close={close} />}
    </DialogButton>
  );
}

function EditRunForm({ run, close }: { run: RunDetail; close: () => void }) {
  const update = useAction("run_update");
  const [counts, setCounts] = useState(() => run.agents.map((agent) => Number(agent.count ?? 1)));
  const [numbers, setNumbers] = useState(() => numbersOf(run));
  const [review, setReview] = useState(run.options.review as Review);
  const [limits, setLimits] = useState<LimitTexts>(() => limitTexts(run.budget));
  const [target, setTarget] = useState(run.target ?? "");
  const [land, setLand] = useState(run.options.land === true);
  const [squash, setSquash] = useState(run.options.squash === true);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const args: UpdateRun = {
      run_id: run.run_id,
      ...changedAgents(run, counts),
      ...numbers,
      review,
      land,
      squash,
      ...(JSON.stringify(limits) !== JSON.stringify(limitTexts(run.budget)) ? budgetOf(limits) : {}),
      ...(target.trim() !== "" && target.trim() !== run.target ? { target: target.trim() } : {}),
    };
    update.mutate(args, { onSuccess: close });
  };
  return (
    <form className="form start-run" onSubmit={submit} noValidate>
      <h2 id="edit-run-title">Run options</h2>
      <p className="quiet">Work in progress continues; the new options apply from the next step on.</p>
      <fieldset className="clients">
        <legend>
          Agents <span className="meta">how many of each may work at once</span>
        </legend>
        {run.agents.map((agent, at) => (
          <label key={JSON.stringify(agent)}>
            <span>{[agent.client, ...((agent.command as string[] | undefined) ?? [])].join(" ")}</span>
            <input
              className="field"
              type="number"
              min={0}
              max={1_000}
              value={counts[at]}
              onChange={(event) => setCounts(counts.with(at, Math.max(0, Math.floor(Number(event.target.value)))))}
            />
          </label>
        ))}
      </fieldset>
      <fieldset className="budget numbers">
        <legend>
          Limits{" "}
          <span className="meta">
            you are asked after this many attempts or failed results; 0 agents means no limit
          </span>
        </legend>
        {NUMBERS.map(([name, words, least]) => (
          <label key={name}>
            {words}
            <input
              className="field"
              type="number"
              min={least}
              max={100}
              value={numbers[name]}
              onChange={(event) => setNumbers({ ...numbers, [name]: Number(event.target.value) })}
            />
          </label>
        ))}
      </fieldset>
      <ReviewField review={review} change={setReview} />
      <BudgetFields limits={limits} change={setLimits} hint="a limit can be changed but not removed" />
      <label>
        Branch to land on
        <input className="field mono" value={target} onChange={(event) => setTarget(event.target.value)} />
      </label>
      <label className="tick">
        <input type="checkbox" checked={land} onChange={(event) => setLand(event.target.checked)} /> Land automatically
        once the final checks pass
      </label>
      <label className="tick">
        <input type="checkbox" checked={squash} onChange={(event) => setSquash(event.target.checked)} /> Land as one
        commit
      </label>
      <FormFooter act="Save" off={update.isPending} error={update.error} cancel={close} />
    </form>
  );
}

function numbersOf(run: RunDetail): Record<NumberOption, number> {
  return Object.fromEntries(NUMBERS.map(([name]) => [name, Number(run.options[name] ?? 0)])) as Record<
    NumberOption,
    number
  >;
}

/** Return the agents with their new counts, if one changed; those with 0 are left out. */
function changedAgents(run: RunDetail, counts: readonly number[]): Pick<UpdateRun, "agents"> {
  if (run.agents.every((agent, at) => Number(agent.count ?? 1) === counts[at])) return {};
  const agents = run.agents.map((agent, at) => ({ ...agent, count: counts[at]! }) as AgentKind);
  return { agents: agents.filter((agent) => (agent.count ?? 1) > 0) };
}
