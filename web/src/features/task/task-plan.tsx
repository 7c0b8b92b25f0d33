// The plan of a task, its outcome, and what holds it.
import type { TaskRecord } from "@/api/types";
import { Long } from "@/ui/expandable-text";
import { Card } from "@/ui/basics";
import { QUEUE, TASK, type Status } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";

export function Plan({ task }: { task: TaskRecord }) {
  const { plan } = task;
  if (plan === null) return null;
  const steps = Array.isArray(plan["steps"]) ? plan["steps"] : [];
  const rest = Object.entries(plan).filter(([name, value]) => name !== "steps" && value !== null && String(value) !== "");
  return (
    <Card title="Plan" {...(steps.length > 0 ? { count: steps.length } : {})} className="task-plan">
      {rest.map(([name, value]) => (
        <p key={name} className="side-words">
          <strong>{name.replaceAll("_", " ")}:</strong> <Long text={words(value)} />
        </p>
      ))}
      {steps.length > 0 && (
        <ol>
          {steps.map((step, index) => (
            <li key={index}>
              <kbd aria-hidden="true">{index + 1}</kbd> <Long text={words(step)} />
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}

export function words(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(words).join(", ");
  if (typeof value === "object" && value !== null) {
    const { description, summary, name, title } = value as Record<string, unknown>;
    const said = description ?? summary ?? name ?? title;
    return typeof said === "string" ? said : JSON.stringify(value);
  }
  return String(value);
}

/** How it stands or ended, in the words of whoever said so. */
export function Ending({ task }: { task: TaskRecord }) {
  const reason = task.hold?.["reason"];
  if (reason !== undefined && reason !== null) return <Said status={QUEUE["blocker"]!} lead="It is held: " text={String(reason)} />;
  if (task.error !== null) return <Said status={TASK["failed"]!} text={task.error} />;
  return task.outcome === null ? null : <Said status={TASK["claimed"]!} lead="claims: " text={task.outcome} />;
}

function Said({ status, lead = "", text }: { status: Status; lead?: string; text: string }) {
  return (
    <p className="row card">
      <StatusIcon status={status} />
      <span>
        {lead}
        <Long text={text} />
      </span>
    </p>
  );
}
