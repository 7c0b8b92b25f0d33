// The plan of a task, and its result or what holds it.
import type { TaskRecord } from "@/api/types";
import { Card } from "@/ui/basics";
import { ExpandableText } from "@/ui/expandable-text";
import { QUEUE, type Status, TASK } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";

export function TaskPlan({ task }: { task: TaskRecord }) {
  const { plan } = task;
  if (plan === null) return null;
  const steps = Array.isArray(plan.steps) ? plan.steps : [];
  const rest = Object.entries(plan).filter(
    ([name, value]) => name !== "steps" && value !== null && String(value) !== "",
  );
  return (
    <Card title="Plan" {...(steps.length > 0 ? { count: steps.length } : {})} className="task-plan">
      {rest.map(([name, value]) => (
        <p key={name} className="side-words">
          <strong>{name.replaceAll("_", " ")}:</strong> <ExpandableText text={textOf(value)} />
        </p>
      ))}
      {steps.length > 0 && (
        <ol>
          {steps.map((step, index) => (
            <li key={index}>
              <kbd aria-hidden="true">{index + 1}</kbd> <ExpandableText text={textOf(step)} />
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}

export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(textOf).join(", ");
  if (typeof value === "object" && value !== null) {
    const { description, summary, name, title } = value as Record<string, unknown>;
    const said = description ?? summary ?? name ?? title;
    return typeof said === "string" ? said : JSON.stringify(value);
  }
  return String(value);
}

/** The kind of hold while checks run; the evidence says more. */
const CHECKS = "checks";

/** Show why the task is held, why it failed, or what its agent reported. */
export function TaskResult({ task }: { task: TaskRecord }) {
  const reason = task.hold?.kind === CHECKS ? null : task.hold?.reason;
  if (reason !== undefined && reason !== null)
    return <ResultLine status={QUEUE.blocker!} lead="On hold: " text={String(reason)} />;
  if (task.error !== null) return <ResultLine status={TASK.failed!} text={task.error} />;
  return task.outcome === null || task.state === "accepted" ? null : (
    <ResultLine status={TASK.unproved!} lead="Reported: " text={task.outcome} />
  );
}

function ResultLine({ status, lead = "", text }: { status: Status; lead?: string; text: string }) {
  return (
    <p className="row card">
      <StatusIcon status={status} />
      <span>
        {lead}
        <ExpandableText text={text} />
      </span>
    </p>
  );
}
