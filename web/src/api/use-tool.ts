// Reads and actions. The key of a query is the tool's name and arguments, from which live/stale-queries.ts decides which
// queries an event makes stale.
import { keepPreviousData, QueryClient, type UseQueryResult, useMutation, useQuery } from "@tanstack/react-query";

import { ApiError, call, type ToolName } from "./call-tool";
import type { Tools } from "./types";

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Infinity, // events mark queries as stale
      gcTime: 5 * 60_000,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      retry: (count, error) => error instanceof ApiError && (error.status === 0 || error.status === 503) && count < 20,
      retryDelay: (attempt) => Math.min(500 * 2 ** attempt, 5_000),
    },
  },
});

export interface ReadOptions {
  enabled?: boolean;
  /** Keep showing the previous data while new data loads, such as after a filter changes. */
  keep?: boolean;
}

/** Return the result of a read tool, kept up to date by events. */
export function useTool<Name extends ToolName>(
  name: Name,
  args: Tools[Name]["args"],
  options: ReadOptions = {},
): UseQueryResult<Tools[Name]["result"], ApiError> {
  return useQuery<Tools[Name]["result"], ApiError>({
    queryKey: [name, args],
    queryFn: ({ signal }) => call(name, args, { signal }),
    enabled: options.enabled ?? true,
    ...(options.keep ? { placeholderData: keepPreviousData } : {}),
  });
}

const ROWS = { agent_list: "agents", checkpoint_list: "checkpoints", template_list: "templates" } as const;
type ListName = keyof typeof ROWS;

/** Return a list with the rows of all its pages, kept up to date by events. */
export function useWholeList<Name extends ListName>(
  name: Name,
  args: Tools[Name]["args"],
): UseQueryResult<Tools[Name]["result"], ApiError> {
  return useQuery<Tools[Name]["result"], ApiError>({
    queryKey: [name, args],
    queryFn: ({ signal }) => everyPage(name, args, signal),
  });
}

export async function everyPage<Name extends ListName>(
  name: Name,
  args: Tools[Name]["args"],
  signal?: AbortSignal,
): Promise<Tools[Name]["result"]> {
  const rowsOf = (page: object) => (page as Record<string, unknown[]>)[ROWS[name]] ?? [];
  const first = await call(name, args, { signal });
  const rows = [...rowsOf(first)];
  for (let cursor = first.next_cursor; cursor !== null; ) {
    const page = await call(name, { ...args, cursor }, { signal });
    rows.push(...rowsOf(page));
    cursor = page.next_cursor;
  }
  return { ...first, [ROWS[name]]: rows };
}

/** Return an action. The events it causes mark changed queries as stale. */
export function useAction<Name extends ToolName>(name: Name) {
  return useMutation<Tools[Name]["result"], ApiError, Tools[Name]["args"]>({
    mutationFn: (args) => call(name, args, { key: crypto.randomUUID() }),
  });
}
