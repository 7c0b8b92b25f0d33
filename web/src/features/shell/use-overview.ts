// What the sidebar, the tabs and Now share: one look at everything, and what waits for a person.
import { useEffect, useMemo } from "react";

import { useTool } from "@/api/use-tool";
import type { FleetAgent } from "@/api/types";
import { noteServerTime } from "@/ui/hooks/use-server-clock";
import { AGENT, look } from "@/ui/status/status";
import { leftAt } from "./last-visit";

export const MOST_WAITING = 50;
const MOST_LIVE = 200;

export function useOverview() {
  const query = useTool("overview", { since: leftAt });
  const now = query.data?.now;
  useEffect(() => {
    if (now !== undefined) noteServerTime(now);
  }, [now]);
  return query;
}

/** What waits for a person, the most urgent first. */
export function useWaiting() {
  return useTool("queue_list", { limit: MOST_WAITING });
}

/** How many launched agents are there now; nothing until it is known. */
export function useLiveExecutions(): number | undefined {
  const counts = useTool("overview_executions", { status: [], limit: 1 }).data?.counts;
  return counts === undefined ? undefined : ["starting", "running", "waiting"].reduce((sum, each) => sum + (counts[each] ?? 0), 0);
}

/** Where an agent of the fleet is seen at work: its terminal if it was launched, else its row among the agents. */
export function useAgentPlace(): (agent: string) => string {
  const live = useTool("execution_list", { status: ["starting", "running", "waiting"], limit: MOST_LIVE }).data?.executions;
  const byAgent = useMemo(() => new Map(live?.map((each) => [each.agent_id, each.id])), [live]);
  return (agent) => (byAgent.has(agent) ? `/executions/${byAgent.get(agent)}` : `/agents?agent=${agent}`);
}

/** What an agent's glyph says: who it is, how it stands, and what it has in hand. */
export function agentWords(agent: FleetAgent): string {
  return `${agent.name}: ${look(AGENT, agent.state).word}${agent.task_name ? `, ${agent.task_name}` : ""}`;
}

/** How many things wait; 0 until it is known. */
export function useWaitingCount(): number {
  return useWaiting().data?.total ?? 0;
}

/** How many agents stand still until a person acts. */
export function useStandingStill(): number {
  return useOverview().data?.fleet.filter((agent) => agent.state === "waits" || agent.state === "blocked").length ?? 0;
}
