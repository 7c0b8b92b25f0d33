// The agents that the page lists: the present ones in full, the others page by page on demand.
import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import { type ApiError, call } from "@/api/call-tool";
import type { AgentList, AgentRecord } from "@/api/types";
import { useWholeList } from "@/api/use-tool";
import { useAgentsById } from "@/features/shell/use-agents-by-id";

const OFFLINE = { status: ["offline" as const], limit: 100 };

export interface Agents {
  /** Present agents, then those asked for by id, then the loaded pages of offline ones. */
  rows: AgentRecord[];
  /** Loads the next page of offline agents, if there is one. */
  older: (() => void) | undefined;
  query: { data: unknown; error: ApiError | null; refetch: () => unknown };
}

/** Return the present agents and those with the given ids; with `all`, offline agents too. */
export function useAgents(ids: readonly string[], all: boolean): Agents {
  const present = useWholeList("agent_list", { status: ["online", "busy"], limit: 1000 });
  const offline = useInfiniteQuery<AgentList, ApiError, { pages: AgentList[] }, unknown[], string | null>({
    queryKey: ["agent_list", OFFLINE],
    queryFn: ({ signal, pageParam }) => call("agent_list", { ...OFFLINE, cursor: pageParam }, { signal }),
    initialPageParam: null,
    getNextPageParam: (last) => last.next_cursor,
    enabled: all,
  });
  const listed = useMemo(
    () => [...(present.data?.agents ?? []), ...(all ? (offline.data?.pages.flatMap((page) => page.agents) ?? []) : [])],
    [present.data, offline.data, all],
  );
  const known = new Set(listed.map((agent) => agent.id));
  const others = useAgentsById(present.data === undefined ? [] : ids.filter((id) => !known.has(id)));
  const rows = useMemo(
    () => [
      ...new Map(
        [...listed.filter(isPresent), ...others.values(), ...listed].map((agent) => [agent.id, agent]),
      ).values(),
    ],
    [listed, others],
  );
  return {
    rows,
    older: all && offline.hasNextPage ? () => void offline.fetchNextPage() : undefined,
    query: all && offline.data === undefined ? offline : present,
  };
}

const isPresent = (agent: AgentRecord) => agent.status !== "offline";
