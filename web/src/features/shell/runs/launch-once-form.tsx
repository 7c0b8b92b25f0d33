// The form that launches agents once, one for each ready task, without refilling.
import { type FormEvent, useState } from "react";
import { useNavigate } from "react-router";

import { call, reasonOf } from "@/api/call-tool";
import type { AgentKind, NextTask } from "@/api/types";
import { useTool } from "@/api/use-tool";
import { FormFooter, OptionalLabel } from "@/ui/form";
import { plural } from "@/ui/format";
import { agentsOf, ClientFields, firstChoices } from "./client-choices";
import type { AgentsFormProps } from "./run-form";

const MAX_READY = 100;

export function LaunchOnceForm({ missionId, clients, close }: AgentsFormProps) {
  const navigate = useNavigate();
  const ready = useTool(
    "workflow_next_tasks",
    { workflow_id: missionId, limit: MAX_READY },
    { enabled: missionId !== "" },
  );
  const [chosen, setChosen] = useState(() => firstChoices(clients));
  const [minutes, setMinutes] = useState("");
  const [progress, setProgress] = useState<string | null>(null);
  const [refused, setRefused] = useState("");
  const tasks = ready.data?.tasks ?? [];
  const agents = oneEach(agentsOf(clients, chosen));
  const count = Math.min(agents.length, tasks.length);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setRefused("");
    const made = await launchAll(tasks, agents, minutes, setProgress);
    setProgress(null);
    if (made.refused.length > 0) setRefused(describeRefusals(made.launched.length, made.refused));
    else {
      close();
      void navigate(made.launched.length === 1 ? `/executions/${made.launched[0]}` : "/executions");
    }
  };
  return (
    <form className="form start-run" onSubmit={(event) => void submit(event)} noValidate>
      <ClientFields clients={clients} chosen={chosen} change={setChosen} />
      <label>
        <OptionalLabel>Stop each agent after (minutes)</OptionalLabel>
        <input
          className="field"
          type="number"
          min={1}
          value={minutes}
          onChange={(event) => setMinutes(event.target.value)}
        />
      </label>
      <p className="quiet" role="status">
        {progress ?? describeReady(ready.data === undefined ? null : tasks.length, agents.length)}
      </p>
      <FormFooter
        act={count > 0 ? `Launch ${plural(count, "agent")}` : "Launch"}
        off={count === 0 || progress !== null}
        error={refused}
        cancel={close}
      />
    </form>
  );
}

/** Return each agent of the mix by itself, the clients in turn. */
function oneEach(kinds: readonly AgentKind[]): AgentKind[] {
  const rounds = Math.max(0, ...kinds.map((kind) => kind.count ?? 1));
  return Array.from({ length: rounds }, (_, round) => kinds.filter((kind) => (kind.count ?? 1) > round)).flat();
}

function describeReady(ready: number | null, agents: number): string {
  if (ready === null) return "Looking for ready tasks…";
  if (ready === 0) return "No tasks are ready. Each one is claimed, finished, or waiting for another.";
  const some =
    ready >= MAX_READY ? `At least ${MAX_READY} tasks are ready.` : `${plural(ready, "task is", "tasks are")} ready.`;
  return agents > ready ? `${some} The other agents are not launched.` : some;
}

interface Launched {
  launched: string[];
  refused: string[];
}

/** Launch one agent per task. A refusal does not keep the others from being launched. */
async function launchAll(
  tasks: readonly NextTask[],
  agents: readonly AgentKind[],
  minutes: string,
  tell: (progress: string) => void,
): Promise<Launched> {
  const made: Launched = { launched: [], refused: [] };
  const seconds = Number(minutes) > 0 ? { seconds: Number(minutes) * 60 } : {};
  const pairs = tasks.slice(0, agents.length).map((task, at) => ({ task, agent: agents[at]! }));
  for (const { task, agent } of pairs) {
    tell(`Launching ${made.launched.length + made.refused.length + 1} of ${pairs.length}…`);
    const more = agent.command ?? agent.arguments ?? [];
    try {
      const key = crypto.randomUUID();
      const args = { task_id: task.id, adapter: agent.client, arguments: more, ...seconds };
      made.launched.push((await call("execution_launch", args, { key })).id);
    } catch (error) {
      made.refused.push(`“${task.name}”: ${reasonOf(error as Error)}`);
    }
  }
  return made;
}

function describeRefusals(launched: number, refused: readonly string[]): string {
  return `Launched ${launched} of ${launched + refused.length}. Could not launch ${refused.join(" ")}`;
}
