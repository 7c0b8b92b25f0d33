// Asks how many agents of each installed client should work, and with which model.
import type { AdapterRow, AgentKind } from "@/api/types";
import { ANY_PROGRAM, modelArguments, splitArguments } from "../tasks/client-arguments";

export interface ClientChoices {
  counts: Record<string, number>;
  models: Record<string, string>;
  program: string;
}

interface ClientFieldsProps {
  clients: readonly AdapterRow[];
  chosen: ClientChoices;
  change: (chosen: ClientChoices) => void;
}

export function ClientFields({ clients, chosen, change }: ClientFieldsProps) {
  const { counts, models, program } = chosen;
  return (
    <fieldset className="clients">
      <legend>
        Agents <span className="meta">how many of each may work at once</span>
      </legend>
      {clients.map(({ name, title, version }) => (
        <div key={name} className="client">
          <label>
            <span>
              {title} {version !== null && <span className="meta">{version}</span>}
            </span>
            <input
              className="field"
              type="number"
              min={0}
              max={1_000}
              value={counts[name] ?? 0}
              onChange={(event) =>
                change({
                  ...chosen,
                  counts: { ...counts, [name]: Math.max(0, Math.floor(Number(event.target.value))) },
                })
              }
            />
          </label>
          {(counts[name] ?? 0) > 0 && name !== ANY_PROGRAM && (
            <input
              className="field mono"
              aria-label={`Model for ${title}`}
              placeholder="model: the client's default"
              value={models[name] ?? ""}
              onChange={(event) => change({ ...chosen, models: { ...models, [name]: event.target.value } })}
            />
          )}
        </div>
      ))}
      {clients.every(({ name }) => name === ANY_PROGRAM) && (
        <p className="quiet">No agent client is installed on this machine. You can run any program instead.</p>
      )}
      {(counts[ANY_PROGRAM] ?? 0) > 0 && (
        <label className="program">
          <span>Program and arguments</span>
          <input
            className="field mono"
            value={program}
            onChange={(event) => change({ ...chosen, program: event.target.value })}
          />
        </label>
      )}
    </fieldset>
  );
}

/** Return one agent of the first client, with its usual model. */
export function firstChoices(clients: readonly AdapterRow[]): ClientChoices {
  const first = clients.find(({ name }) => name !== ANY_PROGRAM) ?? clients[0];
  return { counts: first === undefined ? {} : { [first.name]: 1 }, models: {}, program: "" };
}

/** Return the chosen agents as a run takes them. */
export function agentsOf(clients: readonly AdapterRow[], { counts, models, program }: ClientChoices): AgentKind[] {
  return clients
    .filter(({ name }) => (counts[name] ?? 0) > 0)
    .map(({ name }) => {
      const model = modelArguments(name, models[name] ?? "");
      return {
        client: name,
        count: counts[name]!,
        ...(name === ANY_PROGRAM ? { command: splitArguments(program) } : {}),
        ...(model.length > 0 ? { arguments: model } : {}),
      };
    });
}
