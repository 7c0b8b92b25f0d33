// The candidate of a task that waits to be merged, if a run drives its mission.
import { useTool } from "@/api/use-tool";
import { isLiveRun } from "./run-status";

/** Return the id of the task's open candidate; null without one, undefined until known. */
export function useOpenCandidate(missionId: string | null, taskId: string): string | null | undefined {
  const runs = useTool("run_list", { mission_id: missionId, limit: 1 }, { enabled: missionId !== null });
  const newest = runs.data?.runs[0];
  const live = newest !== undefined && isLiveRun(newest);
  const run = useTool("run_get", { run_id: newest?.run_id ?? "" }, { enabled: live });
  if (missionId !== null && runs.isPending) return undefined;
  if (!live) return null;
  if (run.isPending) return undefined;
  return run.data?.queue.find((each) => each.task_id === taskId)?.candidate_id ?? null;
}
