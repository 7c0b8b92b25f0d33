// The newest calls, read again while somebody looks: reads leave no event that could tell of them.
import { keepPreviousData, useQuery } from "@tanstack/react-query";

import { call, type ApiError } from "@/api/client";
import type { AuditEntry, AuditList, ListAudit } from "@/api/types";

const EVERY = 3_000;

export function useRecentCalls(args: ListAudit) {
  return useQuery<AuditList, ApiError>({
    queryKey: ["audit_list", args],
    queryFn: ({ signal }) => call("audit_list", args, { signal }),
    refetchInterval: EVERY,
    staleTime: 0,
    placeholderData: keepPreviousData,
  });
}

/** Whether this page itself made the call. */
export function isOwn(entry: Pick<AuditEntry, "transport">): boolean {
  return entry.transport === "page";
}

export interface Run {
  newest: AuditEntry;
  count: number;
}

/** Calls one after another that differ in nothing but their time stand as one. */
export function runsOf(entries: readonly AuditEntry[]): Run[] {
  const runs: Run[] = [];
  for (const entry of entries) {
    const last = runs.at(-1);
    if (last !== undefined && kind(last.newest) === kind(entry)) last.count += 1;
    else runs.push({ newest: entry, count: 1 });
  }
  return runs;
}

const kind = (entry: AuditEntry) => JSON.stringify([entry.tool, entry.caller, entry.transport, entry.status, entry.arguments]);

/** `0.4 s`, `12 ms` */
export function took(entry: Pick<AuditEntry, "at" | "finished_at">): string {
  const ms = Date.parse(entry.finished_at) - Date.parse(entry.at);
  return ms < 1_000 ? `${Math.max(0, Math.round(ms))} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
