// When the person was last here: what ended since then is news.
const KEY = "mission.seen";
const LONGEST = 7 * 24 * 3_600_000;
const PRESENT = 10 * 60_000;

function lastSeen(): number {
  const found = Number(localStorage.getItem(KEY));
  const earliest = Date.now() - LONGEST;
  return Number.isFinite(found) && found > earliest ? found : Date.now() - 12 * 3_600_000;
}

const seen = lastSeen();

/** Whether the person was away long enough to say so, and how long in seconds. */
export const awaySeconds = localStorage.getItem(KEY) !== null && Date.now() - seen > PRESENT ? (Date.now() - seen) / 1_000 : null;

/** The moment since which things are news; a short look away does not move it past the last hours. */
export const leftAt = new Date(Math.min(seen, Date.now() - 8 * 3_600_000)).toISOString();

function note(): void {
  if (document.visibilityState === "visible") localStorage.setItem(KEY, String(Date.now()));
}

export function watchPresence(): void {
  setInterval(note, 60_000);
  document.addEventListener("visibilitychange", note);
}
