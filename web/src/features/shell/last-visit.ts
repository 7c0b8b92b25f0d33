// When you last used the page. What finished since then counts as new.
const KEY = "mission.seen";
const MAX_INTERVAL = 7 * 24 * 3_600_000;
const PRESENT = 10 * 60_000;

function readLastVisit(): number {
  const found = Number(localStorage.getItem(KEY));
  const earliest = Date.now() - MAX_INTERVAL;
  return Number.isFinite(found) && found > earliest ? found : Date.now() - 12 * 3_600_000;
}

const seen = readLastVisit();

/** How many seconds you were away; null if it was too short to mention. */
export const awaySeconds =
  localStorage.getItem(KEY) !== null && Date.now() - seen > PRESENT ? (Date.now() - seen) / 1_000 : null;

/** The time since which things count as new: your last visit, but at least eight hours ago. */
export const lastVisit = new Date(Math.min(seen, Date.now() - 8 * 3_600_000)).toISOString();

function note(): void {
  if (document.visibilityState === "visible") localStorage.setItem(KEY, String(Date.now()));
}

export function recordVisits(): void {
  setInterval(note, 60_000);
  document.addEventListener("visibilitychange", note);
}
