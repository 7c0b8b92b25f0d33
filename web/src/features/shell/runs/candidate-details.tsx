// A candidate of a run: what its agent reported, what was found, the evidence, and its diff against the tip.
import { useMemo } from "react";

import type { CandidateFile, CandidateRecord, EvidenceRecord } from "@/api/types";
import { useTool } from "@/api/use-tool";
import { Card } from "@/ui/basics";
import { ExpandableText } from "@/ui/expandable-text";
import { Empty, Loaded } from "@/ui/query-states";
import { CANDIDATE, statusFor } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";
import { FileBrowser, Patch } from "../changes/file-browser";
import { type LineComments, useLineComments } from "../changes/line-comments";
import { changeIn, parseDiff } from "../changes/parse-diff";
import type { ListedCheck } from "../evidence/describe-checks";
import { EvidenceList } from "../evidence/evidence-list";
import { shortCommit } from "./run-status";
import "./candidate.css";

interface CandidateProps {
  id: string;
  /** The open review that comments on lines go with; undefined if nothing is reviewed. */
  review?: string | undefined;
}

export function CandidateDetails({ id, review }: CandidateProps) {
  const found = useTool("candidate_get", { candidate_id: id });
  return (
    <Loaded query={found} what="the candidate" rows={4}>
      {(candidate) => (
        <>
          <Findings candidate={candidate} />
          <AgentReport report={candidate.report} />
          <CandidateEvidence candidate={candidate} />
          <CandidateDiff candidate={candidate} review={review} />
        </>
      )}
    </Loaded>
  );
}

const KINDS: Record<string, string> = {
  conflict: "conflict",
  large: "large file",
  secret: "likely a secret",
  submodule: "submodule",
};

/** Show why a candidate was sent back, and what was found in it. */
function Findings({ candidate }: { candidate: CandidateRecord }) {
  if (candidate.reason === null && candidate.findings.length === 0) return null;
  return (
    <Card title="Findings" count={candidate.findings.length}>
      {candidate.reason !== null && (
        <p className="side-words findings-reason">
          <StatusIcon status={statusFor(CANDIDATE, candidate.state)} decorative />{" "}
          <ExpandableText text={candidate.reason} />
        </p>
      )}
      <ul className="lined">
        {candidate.findings.map((finding) => (
          <li key={JSON.stringify(finding)} className="row finding">
            <span className="meta">
              {KINDS[String(finding.kind)] ?? String(finding.kind ?? finding.severity ?? "")}
            </span>
            <span>
              {placeOfFinding(finding) !== "" && <code>{placeOfFinding(finding)}</code>} {wordsOfFinding(finding)}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function placeOfFinding(finding: Record<string, unknown>): string {
  const path = String(finding.path ?? finding.file ?? "");
  return typeof finding.line === "number" ? `${path}:${finding.line}` : path;
}

function wordsOfFinding(finding: Record<string, unknown>): string {
  return String(finding.text ?? finding.detail ?? finding.reason ?? "");
}

/** Show what the agent said about its own result, marked as such. */
function AgentReport({ report }: { report: Record<string, unknown> }) {
  const words = summaryOf(report);
  if (words === "") return null;
  return (
    <Card title="Agent's report" aside="what the agent says, not what was proved">
      <p className="side-words agent-words">
        <ExpandableText text={words} />
      </p>
    </Card>
  );
}

/** Return the words of a report. */
function summaryOf(report: Record<string, unknown>): string {
  const said = report.summary ?? report.outcome ?? report.text ?? "";
  if (typeof said === "string") return said;
  return typeof said === "object" && said !== null ? summaryOf(said as Record<string, unknown>) : "";
}

/** Show what was checked: the merged tree, and the tip without the candidate if it was asked whose failure it is. */
function CandidateEvidence({ candidate }: { candidate: CandidateRecord }) {
  const rows = candidate.evidence as unknown as EvidenceRecord[];
  const merged = useMemo(() => rows.filter((row) => row.task_id !== null).map(glanceOf), [rows]);
  const tip = useMemo(() => rows.filter((row) => row.task_id === null).map(glanceOf), [rows]);
  return (
    <>
      <Card title="Evidence" count={merged.length} aside="on the merged tree">
        {merged.length === 0 ? (
          <p className="side-words">No checks have run on this candidate's merged tree.</p>
        ) : (
          <EvidenceList checks={merged} />
        )}
      </Card>
      {tip.length > 0 && (
        <Card title="Evidence for the tip" count={tip.length} aside="without this candidate">
          <EvidenceList checks={tip} />
        </Card>
      )}
    </>
  );
}

/** Return a row of evidence as the list shows it. */
function glanceOf(row: EvidenceRecord): ListedCheck {
  const asked = row.check[row.kind];
  return {
    name: row.name,
    kind: row.kind,
    asks: Array.isArray(asked) ? asked.join(", ") : String(asked ?? row.name),
    required: row.required,
    origin: null,
    approval: "approved",
    state: row.state,
    evidence_id: row.id,
    output_id: row.kind === "run" && row.started_at !== null ? row.id : null,
    seconds: row.seconds,
    exit_code: row.exit_code,
    timed_out: row.timed_out,
    idle: row.idle,
    tests: row.tests,
    failed_before: false,
    green_before: false,
    flaky: row.flaky,
    reused: row.reused_from !== null,
    reason: row.reason,
    files: row.files,
    before: null,
    started_at: row.started_at,
    ended_at: row.ended_at,
  };
}

/** Show the changed lines. They are read apart, because only the run's own machine has them. */
function CandidateDiff({ candidate, review }: { candidate: CandidateRecord; review: string | undefined }) {
  const found = useTool("candidate_get", { candidate_id: candidate.candidate_id, patch: true });
  const comments = useLineComments(review ?? "");
  return (
    <Card title="Changes to the tip" aside={<DiffEnds candidate={candidate} />} className="task-files">
      <Loaded query={found} what="the changes">
        {({ patch }) =>
          patch == null || patch.length === 0 ? (
            <Empty title={patch == null ? "No diff" : "No files changed"}>
              {patch == null ? withoutDiff(candidate) : "The merged tree is the same as the tip."}
            </Empty>
          ) : (
            <ChangedLines files={patch} comments={review === undefined ? undefined : comments} />
          )
        }
      </Loaded>
    </Card>
  );
}

function withoutDiff(candidate: CandidateRecord): string {
  return candidate.state === "conflicted"
    ? "The candidate conflicts with the tip, so there is no merged tree."
    : "There has been no trial merge onto the tip yet.";
}

function ChangedLines({ files, comments }: { files: readonly CandidateFile[]; comments: LineComments | undefined }) {
  const listed = useMemo(() => files.map((file) => ({ path: file.path, how: changeIn(file.patch) })), [files]);
  const lines = useMemo(() => new Map(files.map((file) => [file.path, parseDiff(file.patch)])), [files]);
  return (
    <FileBrowser
      files={listed}
      comments={comments}
      show={(path) => {
        const { whole, note } = files.find((file) => file.path === path)!;
        return <Patch path={path} lines={lines.get(path)!} whole={whole} note={note} comments={comments} />;
      }}
    />
  );
}

/** Show which commits the diff compares. */
function DiffEnds({ candidate }: { candidate: CandidateRecord }) {
  const end = candidate.merge_commit ?? candidate.commit;
  if (candidate.tip === null || end === null) return null;
  return (
    <code>
      {shortCommit(candidate.tip)}..{shortCommit(end)}
    </code>
  );
}
