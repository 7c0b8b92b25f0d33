// What a reviewer needs: goal, acceptance criteria, warnings, evidence and diff; and ways out besides an answer.
import type { ItemRow, TaskProofGlance } from "@/api/types";
import { useAction, useTool } from "@/api/use-tool";
import { useOnline } from "@/live/live-connection";
import { ExpandableText } from "@/ui/expandable-text";
import { ConfirmButton, ErrorMessage } from "@/ui/form";
import { Loaded } from "@/ui/query-states";
import { ChangedFiles } from "../changes/changed-files";
import { AcceptButton } from "../evidence/accept-form";
import { AcceptanceList } from "../evidence/acceptance-list";
import { describeRound } from "../evidence/evidence-card";
import { EvidenceList } from "../evidence/evidence-list";
import { ProofReason, ProofWarnings } from "../evidence/proof-warnings";
import { CandidateDetails } from "../runs/candidate-details";
import { useOpenCandidate } from "../runs/use-open-candidate";
import { TakeOverButton } from "../tasks/take-over";

interface ReviewDetailsProps {
  taskId: string;
  missionId: string | null;
  /** The item that the comments on lines go with. */
  review: string;
}

export function ReviewDetails({ taskId, missionId, review }: ReviewDetailsProps) {
  const candidate = useOpenCandidate(missionId, taskId);
  const task = useTool("task_get", { id: taskId });
  const proof = useTool("overview_proof", { task_id: taskId });
  return (
    <div className="review-details">
      {task.data !== undefined && task.data.description !== "" && (
        <section>
          <h3>Goal</h3>
          <p className="item-text">
            <ExpandableText text={task.data.description} />
          </p>
        </section>
      )}
      <Loaded query={proof} what="the evidence" rows={2}>
        {(data) => (
          <>
            <AcceptanceList criteria={data.acceptance} />
            {candidate === null && <TreeDetails proof={data} review={review} />}
            {typeof candidate === "string" && (
              <>
                <ProofWarnings proof={data} />
                <CandidateDetails id={candidate} review={review} />
              </>
            )}
          </>
        )}
      </Loaded>
    </div>
  );
}

/** Show what is known about the task's own tree, where no run has made a candidate of it. */
function TreeDetails({ proof, review }: { proof: TaskProofGlance; review: string }) {
  return (
    <>
      <section>
        <h3>
          Evidence <span className="count">{describeRound(proof)}</span>
        </h3>
        <div className="review-box">
          <ProofReason proof={proof} />
          <ProofWarnings proof={proof} />
          {proof.checks.length === 0 ? (
            <p className="side-words">No checks are defined, so only the diff shows whether it works.</p>
          ) : (
            <EvidenceList checks={proof.checks} />
          )}
        </div>
      </section>
      <ChangedFiles id={proof.task_id} areas={proof.areas} review={review} />
    </>
  );
}

/** Offer to take the reviewed task over, to accept it without proof or to skip it. */
export function ReviewActions({ item }: { item: ItemRow }) {
  const online = useOnline();
  const skip = useAction("task_update_status");
  const taskId = item.task_id ?? "";
  const proof = useTool("overview_proof", { task_id: taskId }, { enabled: item.task_id !== null });
  if (proof.data?.can_accept !== true) return null;
  return (
    <>
      <TakeOverButton taskId={taskId} />
      <AcceptButton taskId={taskId} name={item.task_name ?? "this task"} shown />
      <ConfirmButton
        word="Skip task"
        again="Skip it now"
        title="End the task without a result"
        off={!online || skip.isPending}
        act={() => skip.mutate({ id: taskId, status: "skipped" })}
      />
      <ErrorMessage error={skip.error} />
    </>
  );
}
