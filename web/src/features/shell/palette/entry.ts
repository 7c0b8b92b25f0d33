// An entry of the command palette, and how well its name fits what was typed.
import type { IconName } from "@/ui/icons";
import type { Status } from "@/ui/status/status";

export interface Entry {
  /** Identifies it among all entries. */
  id: string;
  name: string;
  /** What it belongs to, such as the mission of a task. */
  detail?: string | undefined;
  /** What it is, in one word. */
  kind: string;
  icon: IconName | Status;
  /** The address it leads to; an entry without one acts. */
  to?: string;
  act?: () => void;
}

const ELSEWHERE = 3;

/** Return 0 for the whole name, 1 for its beginning, 2 for beginnings of its words; null if a word does not fit. */
export function matchOf(name: string, typed: string): number | null {
  const words = wordsOf(name);
  const terms = wordsOf(typed);
  const [all, start] = [words.join(" "), terms.join(" ")];
  if (all === start) return 0;
  if (all.startsWith(start)) return 1;
  return terms.every((term) => words.some((word) => word.startsWith(term))) ? 2 : null;
}

/** Return the entries that fit, best first; equal ones keep their order. */
export function fitting(entries: readonly Entry[], typed: string): Entry[] {
  return entries
    .map((entry) => ({ entry, match: matchOf(`${entry.name} ${entry.detail ?? ""}`, typed) }))
    .filter(({ match }) => match !== null)
    .toSorted((one, other) => one.match! - other.match!)
    .map(({ entry }) => entry);
}

/** Put entries of the page that begin with the text first, then what the server found, then the rest of the page's. */
export function merged(own: readonly Entry[], found: readonly Entry[], typed: string): Entry[] {
  const first = own.filter((entry) => (matchOf(entry.name, typed) ?? ELSEWHERE) < 2);
  return [...first, ...found, ...own.filter((entry) => !first.includes(entry))];
}

function wordsOf(text: string): string[] {
  return (
    text
      .normalize("NFKD")
      .replace(/\p{M}/gu, "")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}
