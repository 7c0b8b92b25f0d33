// The checks of a task on one line, for lists.
import type { MissionTask } from "@/api/types";
import { plural } from "@/ui/format";
import { QUEUE } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";
import { describeChecks } from "./describe-checks";

/** Show how the checks of a task ended, and whether there are reasons to look at its result. */
export function CheckSummary({ task }: { task: Pick<MissionTask, "checks" | "flags" | "proof_state"> }) {
  const words = describeChecks(task);
  return (
    <>
      {words !== "" && <span className={task.proof_state === "failing" ? "failed-attempts" : ""}>{words}</span>}
      {task.flags > 0 && (
        <span className="check-warning">
          <StatusIcon status={QUEUE.blocker!} size={12} decorative /> {plural(task.flags, "warning")}
        </span>
      )}
    </>
  );
}
