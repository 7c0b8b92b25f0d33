// What the sidebar, the tabs and the Now page share: the overview and the inbox.
import { useEffect, useMemo } from "react";

import type { FleetAgent } from "@/api/types";
import { useTool } from "@/api/use-tool";
import { noteServerTime } from "@/ui/hooks/use-server-clock";
import { AGENT, statusFor } from "@/ui/status/status";
import { useLastVisit } from "./last-visit";

export const MAX_ITEMS = 50;
const MAX_LIVE = 200;

export function useOverview() {
  const query = useTool("overview", { since: useLastVisit().left, today: startOfDay() }, { keep: true });
  const now = query.data?.now;
  useEffect(() => {
    if (now !== undefined) noteServerTime(now);
  }, [now]);
  return query;
}

/** Return when the day began here. It is part of a query's key, so it changes only at midnight. */
function startOfDay(): string {
  return new Date(new Date().setHours(0, 0, 0, 0)).toISOString();
}

/** Return the open inbox items, the most urgent first. */
export function useInbox() {
  return useTool("queue_list", { limit: MAX_ITEMS });
}

/** Return how many launched agents are running; undefined until known. */
export function useLiveExecutions(): number | undefined {
  const counts = useTool("overview_executions", { status: [], limit: 1 }).data?.counts;
  return counts === undefined
    ? undefined
    : ["starting", "running", "waiting"].reduce((sum, each) => sum + (counts[each] ?? 0), 0);
}

/** Return the runs that have not ended, newest first. */
export function useLiveRuns() {
  return useTool("run_list", { state: ["planning", "ready", "running", "paused", "finishing"], limit: MAX_LIVE });
}

/** Return the address of an agent: its terminal if Mission Control launched it, otherwise its row on the Agents page. */
export function useAgentLink(): (agent: string) => string {
  const live = useTool("execution_list", { status: ["starting", "running", "waiting"], limit: MAX_LIVE }).data
    ?.executions;
  const byAgent = useMemo(() => new Map(live?.map((each) => [each.agent_id, each.id])), [live]);
  return (agent) => (byAgent.has(agent) ? `/executions/${byAgent.get(agent)}` : `/agents?agent=${agent}`);
}

/** Describe an agent in one line: name, state and current task. */
export function describeAgent(agent: FleetAgent): string {
  return `${agent.name}: ${statusFor(AGENT, agent.state).word}${agent.task_name ? `, ${agent.task_name}` : ""}`;
}

/** Return the number of open inbox items; 0 until known. */
export function useInboxCount(): number {
  return useInbox().data?.total ?? 0;
}

/** Return how many agents cannot continue until you act. */
export function useStalledAgentCount(): number {
  return useOverview().data?.fleet.filter((agent) => agent.state === "waits" || agent.state === "blocked").length ?? 0;
}
