// The numbers of a run: progress, agents, and what is spent of the budget.
import type { ReactNode } from "react";

import type { RunDetail } from "@/api/types";
import { amount, count, plural, span } from "@/ui/format";
import { describeShare, type Resource, shareOf, WARN_AT } from "./budget";

export function RunFigures({ run }: { run: RunDetail }) {
  const merged = run.counts.merged ?? 0;
  const working = run.tasks.filter((task) => task.stage === "working").length;
  return (
    <dl className="figures run-figures">
      <Figure name="Merged" value={count(merged)} small={`of ${plural(run.tasks.length, "task")}`}>
        {describeRest(run)}
      </Figure>
      <Figure name="Agents" value={count(working)} small="at work">
        {describeAgents(run)}
      </Figure>
      <Spent run={run} of="usd" name="Cost" show={(value) => `$${value.toFixed(2)}`} />
      <Spent run={run} of="tokens" name="Tokens" show={amount} />
      <Spent run={run} of="minutes" name="Time" show={(value) => span(value * 60)} />
      <Spent run={run} of="launches" name="Launches" show={count} />
    </dl>
  );
}

interface FigureProps {
  name: string;
  value: ReactNode;
  small?: string;
  children: ReactNode;
  near?: boolean;
}

function Figure({ name, value, small, children, near = false }: FigureProps) {
  return (
    <div className={near ? "figure tone-attention near" : "figure"}>
      <dt>{name}</dt>
      <dd className="value">
        {value} {small !== undefined && <small>{small}</small>}
      </dd>
      <dd className="note">{children}</dd>
    </div>
  );
}

interface SpentProps {
  run: RunDetail;
  of: Resource;
  name: string;
  show: (value: number) => string;
}

/** Show what is spent of one limit. An unknown price is unknown, never 0. */
function Spent({ run, of, name, show }: SpentProps) {
  const used = run.spent[of];
  const limit = run.budget[of];
  const share = shareOf(run, of);
  return (
    <Figure
      name={name}
      value={used === null ? <span className="unknown">unknown</span> : show(used)}
      {...(limit !== null ? { small: `of ${show(limit)}` } : {})}
      near={share !== null && share >= WARN_AT}
    >
      {share !== null && <Bar share={share} name={name} />}
      {describeShare(run, of)}
    </Figure>
  );
}

function Bar({ share, name }: { share: number; name: string }) {
  const percent = Math.round(share * 100);
  return (
    <span className="budget-bar" role="img" aria-label={`${name}: ${percent}% of the budget`}>
      <span style={{ width: `${Math.min(100, percent)}%` }} />
    </span>
  );
}

/** Return `2 asking, 1 failed`, or how many are left. */
function describeRest(run: RunDetail): string {
  const words = {
    asking: "asking you",
    reviewing: "in review",
    retrying: "retrying",
    failed: "failed",
    skipped: "skipped",
  };
  const parts = Object.entries(words)
    .filter(([stage]) => (run.counts[stage] ?? 0) > 0)
    .map(([stage, word]) => `${run.counts[stage]} ${word}`);
  const open = run.tasks.length - (run.counts.merged ?? 0);
  return parts.join(", ") || (open === 0 ? "all merged" : `${open} to go`);
}

/** Return `claude-code × 3, codex × 2`. */
export function describeAgents(run: Pick<RunDetail, "agents">): string {
  return run.agents.map((agent) => `${String(agent.client)} × ${String(agent.count ?? 1)}`).join(", ") || "no agents";
}
