// What holds a task, why it failed, or what its agent reported; and how much of a report is established.
import type { ExecutionRecord, TaskFiles, TaskRecord } from "@/api/types";
import { useTool } from "@/api/use-tool";
import { signalStatus, signalWords } from "@/features/shell/executions/last-signal";
import { Card } from "@/ui/basics";
import { ExpandableText } from "@/ui/expandable-text";
import { QUEUE, type Status, statusFor, TASK } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";

/** Kinds of holds that say more elsewhere: checks in the evidence, a question on its card. */
const SAID_ELSEWHERE = ["checks", "input", "blocked"];
const DONE = ["proved", "accepted", "unproved", "partial"];

interface ReportProps {
  task: TaskRecord;
  /** The newest launched agent of the task. */
  newest: ExecutionRecord | undefined;
}

export function TaskReport({ task, newest }: ReportProps) {
  const files = useTool("overview_files", { task_id: task.id }).data;
  const reason = task.hold === null || SAID_ELSEWHERE.includes(String(task.hold.kind)) ? null : task.hold.reason;
  return (
    <>
      {reason != null && <ResultLine status={QUEUE.blocker!} lead="On hold: " text={String(reason)} />}
      {task.error !== null && <ResultLine status={TASK.failed!} text={task.error} />}
      {task.outcome !== null ? (
        <Card title="Report" aside={<Established task={task} files={files} />} className="report">
          <Words status={statusFor(TASK, task.state)} text={task.outcome} />
        </Card>
      ) : (
        newest?.claim != null &&
        task.error === null && (
          <Card title="Report" aside="reported by the agent, not checked yet" className="report">
            <Words status={signalStatus(String(newest.claim.type))} text={signalWords(newest.claim)} />
          </Card>
        )
      )}
    </>
  );
}

/** Say which parts of a report Mission Control has seen itself: the files always, the outcome only if it is proved. */
function Established({ task, files }: { task: TaskRecord; files: TaskFiles | undefined }) {
  const seen = files?.known === true && files.final;
  return (
    <span className="established">
      <span>files: {seen ? "established" : "unknown"}</span> ·{" "}
      <span>
        outcome: {task.state === "proved" ? "proved" : DONE.includes(task.state) ? OUTCOMES[task.state] : "reported"}
      </span>
    </span>
  );
}

const OUTCOMES: Record<string, string> = {
  accepted: "accepted by a person",
  unproved: "reported",
  partial: "reported",
};

function Words({ status, text }: { status: Status; text: string }) {
  return (
    <p className="row">
      <StatusIcon status={status} />
      <span className="agent-words">
        <ExpandableText text={text} />
      </span>
    </p>
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
