// Groups repeated calls, and formats how long a call took.
import type { AuditEntry } from "@/api/types";

export interface CallGroup {
  newest: AuditEntry;
  count: number;
}

/** Group consecutive calls that differ only in their time. */
export function groupCalls(entries: readonly AuditEntry[]): CallGroup[] {
  const groups: CallGroup[] = [];
  for (const entry of entries) {
    const last = groups.at(-1);
    if (last !== undefined && kind(last.newest) === kind(entry)) last.count += 1;
    else groups.push({ newest: entry, count: 1 });
  }
  return groups;
}

const kind = (entry: AuditEntry) =>
  JSON.stringify([entry.tool, entry.caller, entry.transport, entry.status, entry.arguments]);

/** Return how long a call took, such as `0.4 s` or `12 ms`. */
export function duration(entry: Pick<AuditEntry, "at" | "finished_at">): string {
  const ms = Date.parse(entry.finished_at) - Date.parse(entry.at);
  return ms < 1_000 ? `${Math.max(0, Math.round(ms))} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/** Return how many entries are newer than the first one shown. */
export function newerThan(shown: readonly AuditEntry[], entries: readonly AuditEntry[]): number {
  const first = shown[0];
  if (first === undefined) return 0;
  const place = entries.findIndex((entry) => entry.id === first.id);
  return place < 0 ? entries.length : place;
}
