// The plan: summary, and the tasks of each phase with their dependencies.
import { useMemo } from "react";

import { Card } from "@/ui/basics";
import { ExpandableText } from "@/ui/expandable-text";
import { phaseName } from "@/ui/format";
import { Empty } from "@/ui/query-states";
import { statusFor, TASK } from "@/ui/status/status";
import { FailedAttempts, StatusIcon } from "@/ui/status/status-icon";
import type { ViewProps } from "../view-props";

export function PlanView({ mission, choose }: ViewProps) {
  const names = useMemo(() => new Map(mission.tasks.map((task) => [task.id, task.name])), [mission.tasks]);
  const approach = typeof mission.plan?.approach === "string" ? mission.plan.approach : null;
  if (mission.tasks.length === 0)
    return (
      <section className="card">
        <Empty title="No plan yet">
          Tasks and dependencies appear here once there is a plan or an agent starts a task.
        </Empty>
      </section>
    );
  return (
    <Card
      title="Plan"
      count={mission.tasks.length}
      aside={`up to ${mission.max_parallel} in parallel`}
      className="plan"
    >
      {(mission.plan_summary !== null || approach !== null) && (
        <div className="plan-words">
          {mission.plan_summary !== null && (
            <p>
              <ExpandableText text={mission.plan_summary} />
            </p>
          )}
          {approach !== null && (
            <p className="quiet">
              <ExpandableText text={approach} />
            </p>
          )}
          <PlanList title="Risks" lines={mission.plan?.risks} />
          <PlanList title="Assumptions" lines={mission.plan?.assumptions} />
        </div>
      )}
      {mission.phases.map((phase) => (
        <section key={phase.number}>
          <h3>{phaseName(phase)}</h3>
          <ol>
            {mission.tasks
              .filter((task) => task.phase === phase.number)
              .map((task) => (
                <li key={task.id}>
                  <StatusIcon status={statusFor(TASK, task.state)} />
                  <div>
                    <button type="button" className="link" onClick={() => choose(task.id)}>
                      {task.name}
                    </button>
                    <FailedAttempts of={task} />
                    {task.depends_on.length > 0 && (
                      <div className="meta">after {task.depends_on.map((id) => names.get(id) ?? id).join(", ")}</div>
                    )}
                  </div>
                </li>
              ))}
          </ol>
        </section>
      ))}
    </Card>
  );
}

function PlanList({ title, lines }: { title: string; lines: unknown }) {
  if (!Array.isArray(lines) || lines.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul className="bullets">
        {lines.map((line) => (
          <li key={String(line)}>{String(line)}</li>
        ))}
      </ul>
    </>
  );
}
