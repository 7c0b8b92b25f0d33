// Facts about a run: its branches and commits, its options, what a person waived, and what was found before the start.
import type { ReactNode } from "react";

import type { RunDetail } from "@/api/types";
import { shortCommit } from "@/features/shell/runs/run-status";
import { Card, CopyableId, Time } from "@/ui/basics";
import { plural } from "@/ui/format";

const REVIEWS: Record<string, string> = {
  risk: "a person, if something looks risky",
  person: "a person, every result",
  agent: "another agent",
  none: "nobody",
};

export function RunFacts({ run }: { run: RunDetail }) {
  const { options } = run;
  return (
    <>
      <Card title="This run">
        <dl className="facts">
          <Fact name="Branch">
            <CopyableId id={run.branch} what="branch" />
          </Fact>
          <Fact name="Tip">
            <Commit id={run.tip} />
          </Fact>
          <Fact name="Started from">
            <Commit id={run.base_commit} />
          </Fact>
          <Fact name="Lands on">{landsOn(run)}</Fact>
          {run.final !== null && (
            <Fact name="Final checks">
              <FinalChecks final={run.final} />
            </Fact>
          )}
          <Fact name="Review">{REVIEWS[String(options.review)] ?? String(options.review)}</Fact>
          {typeof options.max_parallel === "number" && options.max_parallel > 0 && (
            <Fact name="Agents at once">at most {options.max_parallel}</Fact>
          )}
          {run.unproved_allowed && <Fact name="Unproved results">a person allowed them to be merged</Fact>}
          <Fact name="Started">
            <Time at={run.first_launch_at ?? run.created_at} />
          </Fact>
          {run.ended_at !== null && (
            <Fact name="Ended">
              <Time at={run.ended_at} />
            </Fact>
          )}
          <Fact name="Machine">{run.host_id}</Fact>
        </dl>
      </Card>
      <Notes title="Findings before the first launch" lines={notesOf(run.preflight)} />
      <Notes title="Waived checks" lines={run.waivers.map(describeWaiver)} />
      <Notes title="Commits by others on the branch" lines={run.foreign_commits.map(describeCommit)} />
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function Commit({ id }: { id: string }) {
  return <code title={id}>{shortCommit(id)}</code>;
}

function landsOn(run: RunDetail): ReactNode {
  const landed = run.landing?.commit;
  if (run.landing?.state === "landed" && typeof landed === "string")
    return (
      <>
        landed on <code>{String(run.landing.target ?? run.target)}</code> at <Commit id={landed} />
      </>
    );
  const refused = run.landing?.reason;
  const when = run.options.land === true ? "automatically" : "when you land it";
  return (
    <>
      <code>{run.target ?? "not set"}</code>, {when}
      {typeof refused === "string" && <p className="error">{refused}</p>}
    </>
  );
}

/** Show which commit the final checks are about, the result of each, and what became of failures. */
function FinalChecks({ final }: { final: Record<string, unknown> }) {
  const repairs = Array.isArray(final.repairs) ? final.repairs.length : 0;
  const checks = Array.isArray(final.checks) ? (final.checks as { name: string; state: string }[]) : [];
  return (
    <>
      on <Commit id={String(final.commit ?? "")} />
      {repairs > 0 && `, ${plural(repairs, "repair task")}`}
      {typeof final.accepted === "string" && ", accepted by a person even though some failed"}
      {checks.length > 0 && (
        <ul className="final-checks">
          {checks.map((check) => (
            <li key={check.name} data-check={check.name}>
              <code>{check.name}</code> {check.state}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Notes({ title, lines }: { title: string; lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <Card title={title} count={lines.length}>
      <ul className="side-list">
        {lines.map((line) => (
          <li key={line}>
            <span>{line}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** Return what was found before the first launch: problems first, then notes. */
function notesOf(preflight: RunDetail["preflight"]): string[] {
  return [preflight?.problems, preflight?.notes].flatMap((lines) => (Array.isArray(lines) ? lines.map(wordsOf) : []));
}

function wordsOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  const { text, words, detail, message } = value as Record<string, unknown>;
  return String(text ?? words ?? detail ?? message ?? JSON.stringify(value));
}

function describeWaiver(waiver: Record<string, unknown>): string {
  const name = String(waiver.check ?? waiver.name ?? "a check");
  const reason = waiver.reason === undefined ? "" : `: ${String(waiver.reason)}`;
  const files = Array.isArray(waiver.files) ? `, ${plural(waiver.files.length, "file")}` : "";
  return `${name}${files}${reason}`;
}

function describeCommit(commit: Record<string, unknown>): string {
  const id = shortCommit(String(commit.commit ?? commit.id ?? ""));
  return [id, commit.subject ?? commit.message, commit.author].filter(Boolean).map(String).join(" · ");
}
