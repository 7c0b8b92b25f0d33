// One run: its state and budget, open questions, the stage of each task, the merge queue, and its report.
import { useMemo } from "react";
import { useNavigate, useParams, useSearchParams } from "react-router";

import type { RunDetail } from "@/api/types";
import { useTool } from "@/api/use-tool";
import { useKeys } from "@/features/shell/keyboard/keyboard-shortcuts";
import { isLiveRun } from "@/features/shell/runs/run-status";
import { Loaded } from "@/ui/query-states";
import { CandidateView } from "./candidate-view";
import { MergeQueue } from "./merge-queue";
import { RunFacts } from "./run-facts";
import { RunFigures } from "./run-figures";
import { RunHeader } from "./run-header";
import { RunQuestions } from "./run-questions";
import { ReportCard } from "./run-report";
import { StageColumns } from "./stage-columns";
import "./runs.css";

export function RunPage() {
  const { id = "" } = useParams();
  const run = useTool("run_get", { run_id: id });
  return (
    <div className="page run-page">
      <title>{`${run.data?.mission_name ?? "Run"} · Mission Control`}</title>
      {run.data === undefined && <h1>Run</h1>}
      <Loaded query={run} what="the run" rows={8}>
        {(data) => (
          <>
            <RunHeader run={data} />
            <RunFigures run={data} />
            <RunBody run={data} />
          </>
        )}
      </Loaded>
    </div>
  );
}

function RunBody({ run }: { run: RunDetail }) {
  const candidate = useSearchParams()[0].get("candidate");
  const navigate = useNavigate();
  useKeys(
    useMemo(
      () => ({ Escape: () => candidate !== null && void navigate(`/runs/${run.run_id}`) }),
      [candidate, run.run_id, navigate],
    ),
  );
  if (candidate !== null) return <CandidateView run={run} id={candidate} />;
  return (
    <>
      <RunQuestions run={run} />
      {!isLiveRun(run) && <ReportCard run={run} />}
      <StageColumns run={run} />
      <div className="columns">
        <div>
          <MergeQueue run={run} />
        </div>
        <div>
          <RunFacts run={run} />
        </div>
      </div>
    </>
  );
}
