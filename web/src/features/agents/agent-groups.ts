// Groups agents by what they do, those that need you first.
import type { AgentRecord, FleetAgent } from "@/api/types";

export interface AgentGroup {
  name: string;
  agents: AgentRecord[];
}

const GROUPS: [string, readonly string[]][] = [
  ["Needs you", ["waits", "blocked"]],
  ["At work", ["at_work"]],
  ["Idle", ["idle"]],
  ["Gone", ["lost", "offline"]],
];

/** Return the state of an agent as the page shows it. */
export function stateOf(agent: AgentRecord, seen: FleetAgent | undefined): string {
  return seen?.state ?? (agent.status === "offline" ? "offline" : "idle");
}

/** Return the groups that have agents, each in the order given. An unknown state counts as at work. */
export function groupAgents(agents: readonly AgentRecord[], seen: ReadonlyMap<string, FleetAgent>): AgentGroup[] {
  const groups = GROUPS.map(([name, states]) => ({ name, states, agents: [] as AgentRecord[] }));
  for (const agent of agents) {
    const state = stateOf(agent, seen.get(agent.id));
    (groups.find(({ states }) => states.includes(state)) ?? groups[1]!).agents.push(agent);
  }
  return groups.filter((group) => group.agents.length > 0);
}
