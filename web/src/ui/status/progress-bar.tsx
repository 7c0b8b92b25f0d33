// One bar in a fixed order: claimed (hatched: nobody has proved it), working, needs you, failed, the rest.
import { failedWords } from "../format";

export interface Tally {
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
export function tallyWords(tally: Tally): string {
  const parts = PARTS.filter(([name]) => tally[name] > 0).map(([name, word]) => `${tally[name]} ${word}`);
  const rest = tally.total - PARTS.reduce((sum, [name]) => sum + tally[name], 0);
  if (rest > 0) parts.push(`${rest} to do`);
  if (tally.failed_attempts > 0) parts.push(failedWords(tally.failed_attempts));
  return parts.length > 0 ? parts.join(", ") : "no tasks yet";
}

export function Progress({ tally }: { tally: Tally }) {
  const words = tallyWords(tally);
  return (
    <span className="progress" role="img" aria-label={words} title={words}>
      {tally.total > 0 &&
        PARTS.filter(([name]) => tally[name] > 0).map(([name]) => (
          <span key={name} className={`part ${name}`} style={{ width: `${(tally[name] / tally.total) * 100}%` }} />
        ))}
    </span>
  );
}
