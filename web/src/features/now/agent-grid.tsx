// A cell per agent, grouped by mission, in the order in which they joined. Updates never move a cell.
import { Link } from "react-router";

import type { FleetAgent } from "@/api/types";
import { describeAgent, useAgentLink } from "@/features/shell/use-overview";
import { AGENT, statusFor } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";

export function AgentGrid({ fleet }: { fleet: FleetAgent[] }) {
  if (fleet.length === 0) return null;
  return (
    <section className="card fleet" aria-label="Fleet">
      {groups(fleet).map(([id, name, agents]) => (
        <div key={id} className="fleet-group">
          <h2 className="meta">
            <span className="cut">{name}</span> {agents.length}
          </h2>
          <ul>
            {agents.map((agent) => (
              <Cell key={agent.id} agent={agent} />
            ))}
          </ul>
        </div>
      ))}
    </section>
  );
}

function Cell({ agent }: { agent: FleetAgent }) {
  const status = statusFor(AGENT, agent.state);
  const place = useAgentLink();
  const words = describeAgent(agent);
  return (
    <li>
      <Link
        to={place(agent.id)}
        className={`cell tone-${status.tone}`}
        title={words}
        aria-label={`${shortName(agent.name)}, ${words}`}
      >
        <StatusIcon status={status} size={14} decorative />
        <span>{shortName(agent.name)}</span>
      </Link>
    </li>
  );
}

/** Return a short name: `L7` for `ledger-7`, `Re` for `reviewer`. */
export function shortName(name: string): string {
  const number = /(\d+)$/.exec(name)?.[1];
  return number !== undefined
    ? `${name.charAt(0).toUpperCase()}${number.slice(-3)}`
    : name.charAt(0).toUpperCase() + name.slice(1, 2);
}

type Group = [id: string, name: string, agents: FleetAgent[]];

function groups(fleet: FleetAgent[]): Group[] {
  const found = new Map<string, Group>();
  for (const agent of fleet) {
    const id = agent.mission_id ?? "";
    const group = found.get(id) ?? [id, agent.mission_name ?? "No mission", []];
    group[2].push(agent);
    found.set(id, group);
  }
  return [...found.values()].sort((one, other) => Number(one[0] === "") - Number(other[0] === ""));
}
