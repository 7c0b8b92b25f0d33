// The stages of tasks in the live run of a mission.
import { useMemo } from "react";

import type { RunTask } from "@/api/types";
import { useTool } from "@/api/use-tool";
import { isLiveRun } from "@/features/shell/runs/run-status";

/** Return each task of the mission's live run by id; nothing if no run is under way. */
export function useStages(missionId: string): ReadonlyMap<string, RunTask> {
  const newest = useTool("run_list", { mission_id: missionId, limit: 1 }).data?.runs[0];
  const live = newest !== undefined && isLiveRun(newest);
  const run = useTool("run_get", { run_id: newest?.run_id ?? "" }, { enabled: live });
  const tasks = live ? run.data?.tasks : undefined;
  return useMemo(() => new Map(tasks?.map((task) => [task.task_id, task])), [tasks]);
}
