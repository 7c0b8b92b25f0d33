// Folds parts of a large graph: finished tasks of each phase, and tasks that wait far from any work.
import type { MissionTask } from "@/api/types";
import { dependencyOrder, isDone } from "@/features/shell/missions/time-estimates";

export interface Box {
  id: string;
  phase: number;
  needs: string[];
  /** Its tasks; only one unless it is folded. */
  tasks: MissionTask[];
  folded: "done" | "waiting" | null;
}

const FAR = 3;

/** Return a box for each task. */
export function unfolded(tasks: readonly MissionTask[]): Box[] {
  const known = new Set(tasks.map((task) => task.id));
  return tasks.map((task) => ({
    id: task.id,
    phase: task.phase,
    needs: task.depends_on.filter((id) => known.has(id)),
    tasks: [task],
    folded: null,
  }));
}

/** Return a box for each task that is not far from work, and one for the others of a phase unless that was opened. */
export function folded(tasks: readonly MissionTask[], opened: ReadonlySet<string>): Box[] {
  const far = farFromWork(tasks);
  const home = new Map<string, string>();
  const boxes = new Map<string, Box>();
  for (const task of tasks) {
    const kind = isDone(task) ? "done" : far.has(task.id) ? "waiting" : null;
    const fold = `${kind}:${task.phase}`;
    const id = kind === null || opened.has(fold) ? task.id : fold;
    home.set(task.id, id);
    const box = boxes.get(id) ?? { id, phase: task.phase, needs: [], tasks: [], folded: id === task.id ? null : kind };
    box.tasks.push(task);
    boxes.set(id, box);
  }
  for (const box of boxes.values()) {
    if (box.tasks.length === 1) box.folded = null;
    box.needs = needsOf(box, boxes, home);
  }
  return [...boxes.values()];
}

function needsOf(box: Box, boxes: Map<string, Box>, home: Map<string, string>): string[] {
  const needs = new Set<string>();
  for (const id of box.tasks.flatMap((task) => task.depends_on)) {
    const need = home.get(id);
    // a folded box must depend neither on itself nor on a later phase
    if (need !== undefined && need !== box.id && boxes.get(need)!.phase <= box.phase) needs.add(need);
  }
  return [...needs];
}

/** Return waiting tasks at least three steps behind any work, and everything behind them. */
function farFromWork(tasks: readonly MissionTask[]): Set<string> {
  const distance = new Map<string, number>();
  const order = dependencyOrder(tasks);
  for (const task of order) {
    const steps = task.depends_on.map((id) => distance.get(id) ?? 0);
    distance.set(task.id, task.state === "waiting" ? 1 + Math.min(...(steps.length > 0 ? steps : [0])) : 0);
  }
  const near = new Set<string>();
  for (const task of order.toReversed()) {
    const close = task.state !== "waiting" || (distance.get(task.id) ?? 0) < FAR || near.has(task.id);
    if (close) for (const id of task.depends_on) near.add(id);
    if (close) near.add(task.id);
  }
  return new Set(tasks.filter((task) => !near.has(task.id)).map((task) => task.id));
}
