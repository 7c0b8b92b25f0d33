// Bars for the tasks of a mission: its progress, and what is known about its results.
import { describeFailedAttempts, plural } from "../format";
import { PROOF } from "./status";
import { StatusIcon } from "./status-icon";

export interface ProgressCounts {
  proved: number;
  accepted: number;
  unproved: number;
  failing: number;
  working: number;
  needs: number;
  failed: number;
  failed_attempts: number;
  total: number;
}

export interface ProofCounts {
  proved: number;
  accepted: number;
  unproved: number;
  failing: number;
  failed: number;
  skipped: number;
  total: number;
}

const PARTS = [
  ["proved", "proved"],
  ["accepted", "accepted"],
  ["unproved", "done, unproved"],
  ["working", "working"],
  ["needs", "need you"],
  ["failed", "failed"],
] as const;

/** Return how many tasks are completed, with or without proof. */
export function doneCount(counts: Pick<ProgressCounts, "proved" | "accepted" | "unproved">): number {
  return counts.proved + counts.accepted + counts.unproved;
}

/** `4 proved, 5 working, 1 failed, 5 to do, 1 failing, 2 failed attempts` */
export function describeCounts(counts: ProgressCounts): string {
  const parts = PARTS.filter(([name]) => counts[name] > 0).map(([name, word]) =>
    name === "needs" ? plural(counts.needs, "needs you", word) : `${counts[name]} ${word}`,
  );
  const rest = counts.total - PARTS.reduce((sum, [name]) => sum + counts[name], 0);
  if (rest > 0) parts.push(`${rest} to do`);
  if (counts.failing > 0) parts.push(`${counts.failing} failing`);
  if (counts.failed_attempts > 0) parts.push(describeFailedAttempts(counts.failed_attempts));
  return parts.length > 0 ? parts.join(", ") : "no tasks yet";
}

/** Show the progress in a fixed order: proved, accepted, unproved (hatched), working, needs you, failed, the rest. */
export function ProgressBar({ counts }: { counts: ProgressCounts }) {
  const words = describeCounts(counts);
  return (
    <span className="progress" role="img" aria-label={words} title={words}>
      {counts.total > 0 &&
        PARTS.filter(([name]) => counts[name] > 0).map(([name]) => (
          <span key={name} className={`part ${name}`} style={{ width: `${(counts[name] / counts.total) * 100}%` }} />
        ))}
    </span>
  );
}

type ProofPart = keyof typeof PROOF;
const PROOF_PARTS: readonly ProofPart[] = ["proved", "accepted", "unproved", "failing", "failed", "skipped", "open"];
/** Parts that are listed even if they have no tasks. */
const LISTED: readonly ProofPart[] = ["proved", "unproved", "accepted", "failing", "open"];

/** Return the number of tasks in each part of the bar; open ones are neither done nor given up nor failing. */
export function proofParts(counts: ProofCounts): Record<ProofPart, number> {
  const { proved, accepted, unproved, failing, failed, skipped, total } = counts;
  const ended = proved + accepted + unproved + failed + skipped;
  return { proved, accepted, unproved, failing, failed, skipped, open: Math.max(0, total - ended - failing) };
}

/** `11 proved, 4 done, unproved, 6 open of 21 tasks` */
export function describeProof(counts: ProofCounts): string {
  const parts = proofParts(counts);
  const words = PROOF_PARTS.filter((part) => parts[part] > 0).map(
    (part) => `${parts[part]} ${PROOF[part].word.toLowerCase()}`,
  );
  return words.length > 0 ? `${words.join("; ")}` : "no tasks yet";
}

/** Show how many tasks are proved, and what is known about the others. */
export function ProofBar({ counts, label }: { counts: ProofCounts; label: string }) {
  const parts = proofParts(counts);
  const words = describeProof(counts);
  return (
    <section className="proof-bar" aria-label={label}>
      <span className="proof-parts" role="img" aria-label={`${label}: ${words}`} title={words}>
        {PROOF_PARTS.filter((part) => parts[part] > 0 && part !== "open").map((part) => (
          <span key={part} className={`part ${part}`} style={{ width: `${(parts[part] / counts.total) * 100}%` }} />
        ))}
      </span>
      <ul className="proof-words">
        {PROOF_PARTS.filter((part) => parts[part] > 0 || LISTED.includes(part)).map((part) => (
          <li key={part} data-none={parts[part] === 0 || undefined}>
            <StatusIcon status={PROOF[part]} size={14} decorative />
            <span>
              <strong>{parts[part]}</strong> {PROOF[part].word}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
