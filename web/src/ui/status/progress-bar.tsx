// A progress bar in a fixed order: claimed (hatched, because it is unproved), working, needs you, failed, the rest.
import { describeFailedAttempts } from "../format";

export interface ProgressCounts {
  claimed: number;
  working: number;
  needs: number;
  failed: number;
  failed_attempts: number;
  total: number;
}

const PARTS = [
  ["claimed", "claimed"],
  ["working", "working"],
  ["needs", "need you"],
  ["failed", "failed"],
] as const;

/** `4 claimed, 5 working, 1 failed, 5 to do, 2 failed attempts` */
export function describeCounts(counts: ProgressCounts): string {
  const parts = PARTS.filter(([name]) => counts[name] > 0).map(([name, word]) => `${counts[name]} ${word}`);
  const rest = counts.total - PARTS.reduce((sum, [name]) => sum + counts[name], 0);
  if (rest > 0) parts.push(`${rest} to do`);
  if (counts.failed_attempts > 0) parts.push(describeFailedAttempts(counts.failed_attempts));
  return parts.length > 0 ? parts.join(", ") : "no tasks yet";
}

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
