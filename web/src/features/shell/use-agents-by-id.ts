// Agents by id, for pages that need a few of them and not the whole list.
import { type UseQueryResult, useQueries } from "@tanstack/react-query";

import { type ApiError, call } from "@/api/call-tool";
import type { AgentRecord } from "@/api/types";

/** Return the agents with these ids as far as they are loaded. Each is refetched only by its own events. */
export function useAgentsById(ids: readonly string[]): ReadonlyMap<string, AgentRecord> {
  return useQueries({
    queries: [...new Set(ids)].map((id) => ({
      queryKey: ["agent_get", { id }],
      queryFn: ({ signal }: { signal: AbortSignal }) => call("agent_get", { id }, { signal }),
    })),
    combine,
  });
}

function combine(results: UseQueryResult<AgentRecord, ApiError | Error>[]): ReadonlyMap<string, AgentRecord> {
  return new Map(results.flatMap(({ data }) => (data === undefined ? [] : [[data.id, data]])));
}
