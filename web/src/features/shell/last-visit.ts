// When you left: what happened since then counts as new. A reload or a short break does not move it.
import { useSyncExternalStore } from "react";

const SEEN = "mission.seen";
const LEFT = "mission.left";
const MAX_INTERVAL = 7 * 24 * 3_600_000;
const FIRST_VISIT = 12 * 3_600_000;
/** You have left if the page was not visible for this long. */
const BREAK = 10 * 60_000;

export interface LastVisit {
  /** When you left, or the start of what is shown on a first visit. */
  left: string;
  /** Whether you were here before. */
  known: boolean;
}

/** Return when you left: the last time that you were seen before a long break. */
export function lastVisitOf(seen: number | null, left: number | null, now: number): LastVisit {
  const earliest = now - MAX_INTERVAL;
  const was = seen !== null && now - seen > BREAK ? seen : left;
  if (was === null || !Number.isFinite(was) || was > now || was < earliest)
    return {
      left: new Date(was !== null && was < earliest ? earliest : now - FIRST_VISIT).toISOString(),
      known: false,
    };
  return { left: new Date(was).toISOString(), known: true };
}

function stored(key: string): number | null {
  const found = localStorage.getItem(key);
  return found === null || !Number.isFinite(Number(found)) ? null : Number(found);
}

let current = lastVisitOf(stored(SEEN), stored(LEFT), Date.now());
const watchers = new Set<() => void>();

function note(): void {
  if (document.visibilityState !== "visible") return;
  const seen = stored(SEEN);
  const now = Date.now();
  if (seen === null || now - seen > BREAK) {
    const before = current;
    current = lastVisitOf(seen, stored(LEFT), now);
    if (current.known) localStorage.setItem(LEFT, String(Date.parse(current.left)));
    if (before.left !== current.left) for (const each of watchers) each();
  }
  localStorage.setItem(SEEN, String(now));
}

export function recordVisits(): void {
  note();
  setInterval(note, 60_000);
  document.addEventListener("visibilitychange", note);
}

export function useLastVisit(): LastVisit {
  return useSyncExternalStore(
    (notify) => {
      watchers.add(notify);
      return () => void watchers.delete(notify);
    },
    () => current,
  );
}
