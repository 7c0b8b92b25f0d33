// The launched agents of one task: the running one, all attempts, and what they used.
import type { ExecutionRecord } from "@/api/types";
import { useTool } from "@/api/use-tool";
import { MAX_SUMMED, type Spending, totalSpending } from "../missions/spending";
import { isLive } from "./execution-status";

export interface TaskExecutions {
  /** All of them, newest first. */
  executions: readonly ExecutionRecord[];
  live: ExecutionRecord | undefined;
  /** What they used; null if no client reported it. */
  spent: Spending | null;
}

const NONE: readonly ExecutionRecord[] = [];

export function useTaskExecutions(taskId: string): TaskExecutions {
  const executions = useTool("execution_list", { task_id: taskId, limit: MAX_SUMMED }).data?.executions ?? NONE;
  return { executions, live: executions.find(isLive), spent: totalSpending(executions) };
}
