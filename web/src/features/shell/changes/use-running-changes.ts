// What differs in the worktrees of a mission's running tasks. Comparing them takes time, so it is repeated slowly.
import { useQuery } from "@tanstack/react-query";

import { type ApiError, call } from "@/api/call-tool";
import type { MissionChanges, MissionOverview } from "@/api/types";

const AGAIN = 30_000;
const RUNNING = new Set(["working", "planning", "checking", "review", "asks", "blocked", "budget", "paused"]);

export function useRunningChanges(mission: Pick<MissionOverview, "id" | "tasks">) {
  const running = mission.tasks.some((task) => RUNNING.has(task.state));
  const found = useQuery<MissionChanges, ApiError>({
    queryKey: ["overview_running_changes", { mission_id: mission.id }],
    queryFn: ({ signal }) => call("overview_running_changes", { mission_id: mission.id }, { signal }),
    enabled: running,
    refetchInterval: AGAIN,
    retry: false,
  });
  return running ? found : { ...found, data: undefined };
}
