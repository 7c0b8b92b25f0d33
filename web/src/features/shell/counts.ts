// What the sidebar, the tabs and Now share: one look at everything, and what waits for a person.
import { useEffect } from "react";

import { useTool } from "@/api/queries";
import { noteServerTime } from "@/ui/clock";
import { leftAt } from "./away";

export const MOST_WAITING = 50;

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

/** How many things wait; 0 until it is known. */
export function useWaitingCount(): number {
  return useWaiting().data?.total ?? 0;
}
