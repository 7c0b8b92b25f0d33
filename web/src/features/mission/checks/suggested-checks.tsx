// Checks suggested from the repository's own files. Each is run once to see whether it passes today.
import { useState } from "react";

import { call, reasonOf } from "@/api/call-tool";
import type { SuggestedCheck } from "@/api/types";
import { duration } from "@/features/shell/evidence/describe-checks";
import { useOnline } from "@/live/live-connection";
import { ErrorMessage } from "@/ui/form";
import { exactSpan, plural } from "@/ui/format";
import { useNow } from "@/ui/hooks/use-server-clock";
import { EVIDENCE, statusFor } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";
import { type Row, rowOf } from "./check-rows";

interface SuggestedProps {
  repositoryPath: string;
  /** Commands that are in the list already. */
  known: readonly string[];
  add: (row: Row) => void;
}

export function SuggestedChecks({ repositoryPath, known, add }: SuggestedProps) {
  const online = useOnline();
  const [found, setFound] = useState<readonly SuggestedCheck[] | null>(null);
  const [began, setBegan] = useState<number | null>(null);
  const [error, setError] = useState("");
  const suggest = async () => {
    setError("");
    setBegan(Date.now());
    try {
      const quick = await call("checks_suggest", { repository_path: repositoryPath, run: false });
      setFound(quick.checks);
      if (quick.checks.length > 0)
        setFound((await call("checks_suggest", { repository_path: repositoryPath, run: true })).checks);
    } catch (problem) {
      setError(reasonOf(problem as Error));
    }
    setBegan(null);
  };
  return (
    <section className="suggested" aria-label="Suggested checks">
      <div className="actions">
        <button type="button" className="button" disabled={!online || began !== null} onClick={() => void suggest()}>
          Suggest checks
        </button>
        {began === null ? (
          <span className="quiet">Reads the repository's files and runs each suggestion once.</span>
        ) : (
          <Running began={began} count={found?.length ?? 0} />
        )}
      </div>
      <ErrorMessage error={error} what="Could not suggest checks" />
      {found !== null && found.length === 0 && (
        <p className="side-words">No checks were found in the repository's files.</p>
      )}
      {found !== null && found.length > 0 && (
        <ul className="lined">
          {found.map((check) => (
            <Suggestion
              key={check.name}
              check={check}
              running={began !== null}
              known={known.includes(check.run)}
              add={() => add(rowOf(check.definition))}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

function Running({ began, count }: { began: number; count: number }) {
  useNow();
  const elapsed = exactSpan((Date.now() - began) / 1_000);
  return (
    <span className="quiet" role="status">
      {count === 0 ? "Looking for commands" : `Running ${plural(count, "command")} once`}, {elapsed}
    </span>
  );
}

interface SuggestionProps {
  check: SuggestedCheck;
  running: boolean;
  known: boolean;
  add: () => void;
}

function Suggestion({ check, running, known, add }: SuggestionProps) {
  const status = statusFor(EVIDENCE, check.state ?? (running ? "running" : "not_run"));
  return (
    <li className="row">
      <StatusIcon status={status} />
      <div className="words">
        <code>{check.run}</code>
        <div className="meta">{[check.why, describeToday(check)].filter(Boolean).join(" · ")}</div>
        {check.state !== null && check.state !== "passed" && check.output !== null && check.output !== "" && (
          <details>
            <summary className="meta">Output</summary>
            <pre
              className="check-output"
              tabIndex={0}
              role="region"
              aria-label={`Output of ${check.name}`}
              data-scrolls
            >
              {check.output}
            </pre>
          </details>
        )}
      </div>
      <button type="button" className="button small" disabled={known} onClick={add}>
        {known ? "Added" : "Add"}
      </button>
    </li>
  );
}

/** `passes today in 1.2 s` */
function describeToday({ state, seconds }: SuggestedCheck): string {
  if (state === null) return "";
  const time = seconds === null ? "" : ` in ${duration(seconds)}`;
  if (state === "passed") return `passes today${time}`;
  return state === "failed" ? `fails today${time}` : "could not run";
}
