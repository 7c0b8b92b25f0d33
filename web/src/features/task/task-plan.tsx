// The plan of a task: its steps, and whatever else its agent wrote down.
import type { TaskRecord } from "@/api/types";
import { Card } from "@/ui/basics";
import { ExpandableText } from "@/ui/expandable-text";

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
