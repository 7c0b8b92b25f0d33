// The evidence of a task: what each check said, why it is or is not proved, and what a person can do.
import type { TaskProofGlance } from "@/api/types";
import { useAction, useTool } from "@/api/use-tool";
import { useOnline } from "@/live/live-connection";
import { Card } from "@/ui/basics";
import { ErrorMessage } from "@/ui/form";
import { Empty, Loaded } from "@/ui/query-states";
import { AcceptButton } from "./accept-form";
import { AcceptanceList } from "./acceptance-list";
import { EvidenceList } from "./evidence-list";
import { ProofReason, ProofWarnings } from "./proof-warnings";

const SHORT_TREE = 8;

export function EvidenceCard({ taskId, name }: { taskId: string; name: string }) {
  const proof = useTool("overview_proof", { task_id: taskId });
  return (
    <Loaded query={proof} what="the evidence">
      {(data) => (
        <Card
          title={
            <>
              Evidence <span className="count">{describeRound(data)}</span>
            </>
          }
          aside={<TreeName proof={data} />}
          className="evidence-card"
        >
          <ProofReason proof={data} />
          <ProofWarnings proof={data} />
          <AcceptanceList criteria={data.acceptance} />
          {data.checks.length === 0 ? (
            <Empty title="No checks">
              Without checks, a task can only be reported done. Define checks in the mission's Checks view.
            </Empty>
          ) : (
            <EvidenceList checks={data.checks} />
          )}
          <EvidenceActions proof={data} name={name} />
        </Card>
      )}
    </Loaded>
  );
}

function EvidenceActions({ proof, name }: { proof: TaskProofGlance; name: string }) {
  const online = useOnline();
  const run = useAction("task_checks");
  if (!proof.can_run && !proof.can_accept && !proof.running) return null;
  const runs = run.isPending || proof.running;
  return (
    <footer className="evidence-foot">
      <ErrorMessage error={run.error} what="Could not start the checks" />
      <div className="actions">
        {(proof.can_run || runs) && (
          <button
            type="button"
            className="button"
            disabled={!online || runs}
            onClick={() => run.mutate({ task_id: proof.task_id, run: true, wait_seconds: 0 })}
          >
            {runs ? "Checks are running" : proof.round_state === null ? "Run checks" : "Run checks again"}
          </button>
        )}
        <AcceptButton taskId={proof.task_id} name={name} shown={proof.can_accept} />
      </div>
    </footer>
  );
}

function TreeName({ proof }: { proof: TaskProofGlance }) {
  if (proof.tree === null) return null;
  return (
    <>
      tree <code title={proof.tree}>{proof.tree.slice(0, SHORT_TREE)}</code>
      {proof.advice && ", checked before a report"}
    </>
  );
}

const COUNTED = [
  ["passed", "passed"],
  ["running", "running"],
  ["queued", "waiting"],
  ["failed", "failed"],
  ["void", "void"],
  ["error", "could not run"],
  ["lost", "lost"],
] as const;

/** `3 of 5 passed · 1 running · 1 failed` */
export function describeRound({ checks }: Pick<TaskProofGlance, "checks">): string {
  const tally = (state: string) => checks.filter((check) => check.state === state).length;
  const [, ...others] = COUNTED;
  if (checks.every((check) => check.state === "not_run")) return checks.length > 0 ? "not run" : "";
  return [
    `${tally("passed")} of ${checks.length} passed`,
    ...others.filter(([state]) => tally(state) > 0).map(([state, word]) => `${tally(state)} ${word}`),
  ].join(" · ");
}
