// The same as the graph, as a list: each phase with its tasks, their states, dependencies and agents.
import type { MissionTask, RunTask } from "@/api/types";
import { describeChecks } from "@/features/shell/evidence/describe-checks";
import { describeFailedAttempts, phaseName } from "@/ui/format";
import { statusFor, TASK } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";
import type { ViewProps } from "../view-props";
import { stageOf, timeOf } from "./node-facts";
import { useStages } from "./use-stages";
import "./task-list.css";

export function TaskList({ mission, chosen, choose }: ViewProps) {
  const stages = useStages(mission.id);
  return (
    <section className="card task-list" aria-label="Task list">
      {mission.phases.map((phase) => {
        const tasks = mission.tasks.filter((task) => task.phase === phase.number);
        if (tasks.length === 0) return null;
        return (
          <section key={phase.number}>
            <h2>
              {phaseName(phase)} <span className="count">{tasks.length}</span>
            </h2>
            <ol className="lined">
              {tasks.map((task) => (
                <TaskRow
                  key={task.id}
                  task={task}
                  stages={stages}
                  needs={mission.tasks.filter(({ id }) => task.depends_on.includes(id)).map(({ name }) => name)}
                  chosen={task.id === chosen}
                  choose={() => choose(task.id)}
                />
              ))}
            </ol>
          </section>
        );
      })}
    </section>
  );
}

interface TaskRowProps {
  task: MissionTask;
  stages: ReadonlyMap<string, RunTask>;
  needs: readonly string[];
  chosen: boolean;
  choose: () => void;
}

function TaskRow({ task, stages, needs, chosen, choose }: TaskRowProps) {
  const status = stageOf(task, stages) ?? statusFor(TASK, task.state);
  const facts = [describeChecks(task), describeFailedAttempts(task.failed_attempts), task.agent ?? "", timeOf(task)];
  return (
    <li className="row" data-chosen={chosen || undefined}>
      <StatusIcon status={status} decorative />
      <div>
        <button type="button" className="link" onClick={choose}>
          {task.name}
        </button>
        <p className="meta">
          {[status.word, ...facts, task.critical ? "critical path" : ""].filter(Boolean).join(" · ")}
        </p>
        {needs.length > 0 && <p className="meta">Depends on {needs.join(", ")}</p>}
      </div>
    </li>
  );
}
