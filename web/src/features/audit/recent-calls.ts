// The newest calls, read again while somebody looks: reads leave no event that could tell of them.
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import { call, type ApiError } from "@/api/call-tool";
import type { AuditEntry, AuditList, ListAudit } from "@/api/types";

const EVERY = 3_000;

export interface Calls {
  entries: AuditEntry[];
  /** Whether new ones come by themselves: not while older pages are open. */
  live: boolean;
  older: (() => void) | undefined;
  query: { data: unknown; error: ApiError | null; refetch: () => unknown };
}

export function useRecentCalls(args: ListAudit): Calls {
  const query = useInfiniteQuery<AuditList, ApiError, { pages: AuditList[] }, unknown[], string | null>({
    queryKey: ["audit_list", args],
    queryFn: ({ signal, pageParam }) => call("audit_list", { ...args, cursor: pageParam }, { signal }),
    initialPageParam: null,
    getNextPageParam: (last) => last.next_cursor,
    refetchInterval: (found) => ((found.state.data?.pages.length ?? 1) > 1 ? false : EVERY),
    staleTime: 0,
    placeholderData: keepPreviousData,
  });
  const pages = query.data?.pages;
  return {
    entries: useMemo(() => pages?.flatMap((page) => page.entries) ?? [], [pages]),
    live: (pages?.length ?? 1) <= 1,
    older: query.hasNextPage ? () => void query.fetchNextPage() : undefined,
    query,
  };
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

/** How many entries are newer than the first of those that are shown. */
export function newerThan(shown: readonly AuditEntry[], entries: readonly AuditEntry[]): number {
  const first = shown[0];
  if (first === undefined) return 0;
  const place = entries.findIndex((entry) => entry.id === first.id);
  return place < 0 ? entries.length : place;
}
