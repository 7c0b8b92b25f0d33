// Executions by status, newest first and in pages. Live ones are polled.
import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import { type ApiError, call } from "@/api/call-tool";
import type { ExecutionStatus, RunGlance, RunGlances } from "@/api/types";

const LOOK_EVERY = 10_000; // output creates no events, and silence is measured from it
const LIVE_PAGE = 500;
const PAGE = 60;

export interface Executions {
  rows: RunGlance[];
  counts: Record<string, number>;
  /** Loads the next page, if there is one. */
  more: (() => void) | undefined;
  query: { data: unknown; error: ApiError | null; refetch: () => unknown };
}

interface Wanted {
  status: readonly ExecutionStatus[];
  /** Only executions of this mission. */
  mission: string | null;
  live?: boolean;
  enabled?: boolean;
}

export function useExecutions({ status, mission, live = false, enabled = true }: Wanted): Executions {
  const args = {
    status: [...status],
    limit: live ? LIVE_PAGE : PAGE,
    ...(mission !== null ? { mission_id: mission } : {}),
  };
  const query = useInfiniteQuery<RunGlances, ApiError, { pages: RunGlances[] }, unknown[], string | null>({
    queryKey: ["overview_executions", args],
    queryFn: ({ signal, pageParam }) => call("overview_executions", { ...args, cursor: pageParam }, { signal }),
    initialPageParam: null,
    getNextPageParam: (last) => last.next_cursor,
    enabled,
    ...(live ? { refetchInterval: LOOK_EVERY } : {}),
  });
  const pages = query.data?.pages;
  const rows = useMemo(() => pages?.flatMap((page) => page.executions) ?? [], [pages]);
  return {
    rows,
    counts: pages?.at(-1)?.counts ?? {},
    more: query.hasNextPage ? () => void query.fetchNextPage() : undefined,
    query,
  };
}
