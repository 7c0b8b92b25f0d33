// What each check of a task said: its command, outcome, labels, and its output on a click.
import { useState } from "react";

import { exactSpan } from "@/ui/format";
import { useNow } from "@/ui/hooks/use-server-clock";
import { Icon } from "@/ui/icons";
import { EVIDENCE, statusFor } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";
import { CheckOutputView } from "./check-output";
import { describeOutcome, type ListedCheck, labelsOf } from "./describe-checks";
import "./evidence.css";

const ORIGINS: Record<string, string> = {
  repository: "from the repository",
  mission: "from the mission",
  task: "from this task",
};
const OPEN_AT_FIRST = new Set(["failed", "running", "error"]);

export function EvidenceList({ checks }: { checks: readonly ListedCheck[] }) {
  return (
    <ul className="evidence lined">
      {checks.map((check, index) => (
        <EvidenceRow key={`${check.name} ${index}`} check={check} />
      ))}
    </ul>
  );
}

function EvidenceRow({ check }: { check: ListedCheck }) {
  const [chosen, choose] = useState<boolean | null>(null);
  const [before, showBefore] = useState(false);
  const status = statusFor(EVIDENCE, check.state);
  const open = chosen ?? OPEN_AT_FIRST.has(check.state);
  const labels = labelsOf(check);
  const hasMore = check.output_id !== null || check.reason !== null || check.files.length > 0;
  return (
    <li data-check={check.name} data-state={check.state}>
      <div className="evidence-row">
        <StatusIcon status={status} decorative />
        <div className="words">
          <strong>{check.name}</strong> {check.asks !== check.name && <code className="asks">{check.asks}</code>}
          <div className="meta">
            {check.origin !== null && <span>{ORIGINS[check.origin]}</span>}
            {labels.map((label) => (
              <span key={label} className="evidence-label">
                {label}
              </span>
            ))}
          </div>
        </div>
        <span className="said">
          <span className="outcome quiet">
            {check.state === "running" && check.started_at !== null ? (
              <Elapsed since={check.started_at} />
            ) : (
              describeOutcome(check)
            )}
          </span>
          <span className={`verdict tone-${status.tone}`}>{status.word}</span>
        </span>
        {hasMore ? (
          <button
            type="button"
            className="button small"
            aria-expanded={open}
            aria-label={`${open ? "Hide" : "Show"} details for ${check.name}`}
            onClick={() => choose(!open)}
          >
            <Icon name={open ? "down" : "chevron"} size={12} />
          </button>
        ) : (
          <span />
        )}
      </div>
      {open && hasMore && (
        <div className="evidence-more">
          {check.reason !== null && <p>{check.reason}</p>}
          {check.files.length > 0 && (
            <p>
              Files: <code>{check.files.join(", ")}</code>
            </p>
          )}
          {check.output_id !== null && (
            <CheckOutputView id={check.output_id} name={check.name} running={check.state === "running"} />
          )}
          {check.before !== null && (
            <>
              <button type="button" className="link before" aria-expanded={before} onClick={() => showBefore(!before)}>
                {describeBefore(check)}
              </button>
              {before && (
                <CheckOutputView id={check.before.evidence_id} name={`${check.name} before`} running={false} />
              )}
            </>
          )}
        </div>
      )}
    </li>
  );
}

function Elapsed({ since }: { since: string }) {
  return <>{exactSpan((useNow() - Date.parse(since)) / 1_000)}</>;
}

/** Return what the check said about the tree before the change. */
function describeBefore({ before }: ListedCheck): string {
  const word = statusFor(EVIDENCE, before?.state ?? "").word.toLowerCase();
  return before?.role === "red" ? `Before the change, with only its tests: ${word}` : `On the start tree: ${word}`;
}
