// The newest calls, polled while the page shows them, because reading calls creates no events.
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import { type ApiError, call } from "@/api/call-tool";
import type { AuditEntry, AuditList, ListAudit } from "@/api/types";

const EVERY = 3_000;

export interface Calls {
  entries: AuditEntry[];
  /** Whether new calls are added automatically; not while older pages are open. */
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
