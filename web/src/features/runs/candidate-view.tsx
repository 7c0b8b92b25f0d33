// The view of one candidate of a run, in place of the stages.
import { Link } from "react-router";

import type { RunDetail } from "@/api/types";
import { useTool } from "@/api/use-tool";
import { CandidateDetails } from "@/features/shell/runs/candidate-details";
import { CopyableId, Time } from "@/ui/basics";
import { Icon } from "@/ui/icons";
import { CANDIDATE, statusFor } from "@/ui/status/status";
import { StatusPill } from "@/ui/status/status-icon";
import { RunQuestions } from "./run-questions";

interface CandidateViewProps {
  run: RunDetail;
  id: string;
}

export function CandidateView({ run, id }: CandidateViewProps) {
  const candidate = useTool("candidate_get", { candidate_id: id }).data;
  const review = run.questions.find(
    (question) => question.kind === "review" && question.task_id === candidate?.task_id,
  );
  return (
    <section className="candidate" aria-label="Candidate">
      <div className="page-head">
        <Link className="button" to={`/runs/${run.run_id}`}>
          <span className="back" aria-hidden="true">
            <Icon name="chevron" size={12} />
          </span>
          Back to the run
        </Link>
        {candidate !== undefined && (
          <>
            <h2>
              <Link to={`/tasks/${candidate.task_id}`}>{candidate.task_name}</Link>
            </h2>
            <StatusPill status={statusFor(CANDIDATE, candidate.state)} />
            <span className="quiet">
              reported <Time at={candidate.created_at} />
            </span>
            <CopyableId id={candidate.candidate_id} />
          </>
        )}
      </div>
      {candidate !== undefined && <RunQuestions run={run} task={candidate.task_id} />}
      <CandidateDetails id={id} review={review?.item_id} />
    </section>
  );
}
