// Facts about a task in words, for its page and its panel.
import type { MissionTask } from "@/api/types";
import { amount } from "@/ui/format";
import type { TaskExecutions } from "../executions/use-task-executions";

/** Return how long a task took, or has taken so far, in seconds; null if it was not started. */
export function taskSeconds(task: Pick<MissionTask, "started_at" | "completed_at">, now: number): number | null {
  if (task.started_at === null) return null;
  return ((task.completed_at !== null ? Date.parse(task.completed_at) : now) - Date.parse(task.started_at)) / 1_000;
}

export interface Cost {
  /** `$3.12`, or `unknown`. */
  value: string;
  /** Tokens, or why the cost is unknown. */
  note: string;
}

/** Return what a task cost; null while nothing was spent on it. */
export function taskCost(
  { executions, spent }: Pick<TaskExecutions, "executions" | "spent">,
  started: boolean,
): Cost | null {
  if (executions.length === 0 && !started) return null;
  const tokens = spent !== null && spent.tokens > 0 ? `${amount(spent.tokens)} tokens` : "";
  if (spent !== null && spent.cost > 0) {
    const silent = executions.filter((each) => typeof each.usage?.cost_usd !== "number").length;
    const partly = silent > 0 ? `${silent} of ${executions.length} executions unknown` : "";
    return { value: `$${spent.cost.toFixed(2)}`, note: [tokens, partly].filter(Boolean).join(" · ") };
  }
  return {
    value: "unknown",
    note: tokens || (executions.length > 0 ? "not reported by the client" : "not launched here"),
  };
}

/** Return the tasks that a task depends on, and those that wait for it. */
export function neighborsOf(
  id: string,
  tasks: readonly MissionTask[],
): { needs: MissionTask[]; unblocks: MissionTask[] } {
  const own = tasks.find((task) => task.id === id);
  return {
    needs: tasks.filter((task) => own?.depends_on.includes(task.id) === true),
    unblocks: tasks.filter((task) => task.depends_on.includes(id)),
  };
}
