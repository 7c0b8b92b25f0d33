// One node of the graph: a task with its state, agent, time and evidence, or several folded into one.
import { memo } from "react";

import type { MissionTask } from "@/api/types";
import { span } from "@/ui/format";
import type { Status } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";
import type { Box } from "./layout/fold-finished";
import type { Density } from "./layout/layout";
import { evidenceOf, stateOf, timeOf } from "./node-facts";

export interface NodeProps {
  box: Box;
  density: Density;
  /** The name as far as there is room for it. */
  name: string;
  status: Status;
  /** Everything about it in words. */
  label: string;
  /** Estimated seconds that are left, if known. */
  left: number | undefined;
  critical: boolean;
  chosen: boolean;
  reachable: boolean;
  near: boolean;
}

export const GraphNode = memo(function GraphNode(props: NodeProps) {
  const { box, density, name, status, label, critical, chosen, reachable, near } = props;
  const state = stateOf(box);
  const task = box.tasks[0]!;
  return (
    <button
      id={`node-${box.id}`}
      data-node={box.id}
      type="button"
      className={`node as-${density} tone-${status.tone} state-${state}`}
      data-critical={critical || undefined}
      data-chosen={chosen || undefined}
      data-near={near || undefined}
      data-folded={box.folded ?? undefined}
      data-failing={(box.folded === null && isFailing(task)) || undefined}
      tabIndex={reachable ? 0 : -1}
    >
      <span className="hidden">{label}</span>
      {density === "full" && box.folded === null ? (
        <>
          <span className="name" dir="auto" aria-hidden="true">
            {name}
          </span>
          <NodeTop task={task} status={status} left={props.left} />
        </>
      ) : (
        <>
          <StatusIcon status={status} size={density === "glyph" ? 16 : 14} decorative />
          {density !== "glyph" && (
            <span className="name" dir="auto" aria-hidden="true">
              {name}
            </span>
          )}
        </>
      )}
    </button>
  );
});

function isFailing(task: MissionTask): boolean {
  return task.failed_attempts > 0 || task.proof_state === "failing";
}

/** The first line of a node: who works on it, what proves it, and how long it takes. */
function NodeTop({ task, status, left }: { task: MissionTask; status: Status; left: number | undefined }) {
  const failing = task.proof_state === "failing";
  const evidence = evidenceOf(task);
  const estimate = left === undefined ? "" : `est. ${span(left, { short: true })}`;
  return (
    <span className="top" aria-hidden="true">
      <StatusIcon status={status} size={14} decorative />
      <span className="agent cut">{task.agent ?? (failing ? "" : estimate)}</span>
      {failing ? (
        <span className="failed-attempts">checks failed</span>
      ) : task.failed_attempts > 0 ? (
        <span className="failed-attempts">{task.failed_attempts} failed</span>
      ) : (
        evidence !== "" && <span className="evidence">{evidence} ✓</span>
      )}
      <span className="time">{task.agent !== null && !failing && timeOf(task)}</span>
    </span>
  );
}
