// All missions. The filters are part of the address, and only visible rows are rendered.
import { useInfiniteQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useState } from "react";
import { Link, useNavigate } from "react-router";

import { call } from "@/api/call-tool";
import type { ListMissionGlances, MissionGlances } from "@/api/types";
import { NewMissionButton } from "@/features/shell/missions/new-mission-form";
import { Segmented } from "@/ui/basics";
import { count } from "@/ui/format";
import { useUrlFilters } from "@/ui/hooks/use-url-filters";
import { Empty, Loaded } from "@/ui/query-states";
import { ArchiveSelected } from "./archive-selected";
import { MissionRows } from "./mission-rows";
import "./missions.css";

const PAGE = 200;
const FILTERS = {
  open: ["planning", "ready", "in_progress", "paused", "blocked"],
  completed: ["completed"],
  failed: ["failed", "abandoned"],
  all: null,
  archived: null,
} as const;
type Filter = keyof typeof FILTERS;

export function MissionsPage() {
  const [address, change] = useUrlFilters();
  const filter = (address.get("show") ?? "open") as Filter;
  const text = address.get("q") ?? "";
  const navigate = useNavigate();
  const args = useMemo(() => argumentsOf(filter, text), [filter, text]);
  const pages = useMissions(args);
  const first = pages.data?.pages[0];
  const rows = useMemo(() => pages.data?.pages.flatMap((page) => page.missions) ?? [], [pages.data]);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const select = useCallback(
    (id: string, on: boolean) =>
      setSelected((before) => new Set(on ? [...before, id] : [...before].filter((each) => each !== id))),
    [],
  );
  return (
    <div className="page missions">
      <title>Missions · Mission Control</title>
      <div className="page-head">
        <h1>Missions</h1>
        <span className="quiet">{first !== undefined && `${count(first.total)} shown`}</span>
        <div className="actions">
          <TextFilter text={text} change={(value) => change("q", value)} />
          <Segmented
            label="Mission state"
            value={filter}
            choose={(value) => change("show", value === "open" ? null : value)}
            options={(Object.keys(FILTERS) as Filter[]).map(
              (name) => [name, label(name, filter === "archived" ? undefined : first?.counts)] as const,
            )}
          />
          <NewMissionButton />
        </div>
      </div>
      <ArchiveSelected
        missions={rows.filter((row) => selected.has(row.id))}
        archived={filter === "archived"}
        done={() => setSelected(new Set())}
      />
      <section className="card" aria-label="Missions">
        <Loaded query={{ data: first, error: pages.error, refetch: pages.refetch }} what="missions" rows={8}>
          {(found) =>
            found.missions.length === 0 ? (
              <NoMissions
                filtered={text !== "" || filter === "archived" || countAll(found.counts) > 0}
                showAll={() => void navigate("?show=all")}
              />
            ) : (
              <MissionRows
                rows={rows}
                selected={selected}
                select={select}
                total={found.total}
                more={() => !pages.isFetching && pages.hasNextPage && void pages.fetchNextPage()}
              />
            )
          }
        </Loaded>
      </section>
    </div>
  );
}

function useMissions(args: ListMissionGlances) {
  return useInfiniteQuery<MissionGlances, Error, { pages: MissionGlances[] }, readonly unknown[], number>({
    queryKey: ["overview_missions", args],
    queryFn: ({ pageParam, signal }) => call("overview_missions", { ...args, offset: pageParam }, { signal }),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => {
      const read = pages.reduce((sum, page) => sum + page.missions.length, 0);
      return read < last.total ? read : undefined;
    },
  });
}

function argumentsOf(filter: Filter, text: string): ListMissionGlances {
  const status = FILTERS[filter] ?? null;
  return {
    limit: PAGE,
    ...(text !== "" ? { text } : {}),
    ...(status !== null ? { status: [...status] } : {}),
    ...(filter === "archived" ? { archived: true } : {}),
  };
}

function countAll(counts: Record<string, number>): number {
  return Object.values(counts).reduce((sum, each) => sum + each, 0);
}

function label(filter: Filter, counts: Record<string, number> | undefined): string {
  const name = filter.charAt(0).toUpperCase() + filter.slice(1);
  if (counts === undefined || filter === "archived") return name;
  const statuses: readonly string[] = FILTERS[filter] ?? Object.keys(counts);
  return `${name} ${count(statuses.reduce((sum, status) => sum + (counts[status] ?? 0), 0))}`;
}

function TextFilter({ text, change }: { text: string; change: (text: string) => void }) {
  const [value, setValue] = useState(text);
  useEffect(() => setValue(text), [text]);
  useEffect(() => {
    if (value === text) return;
    const timer = setTimeout(() => change(value.trim()), 200);
    return () => clearTimeout(timer);
  });
  return (
    <input
      className="field"
      type="search"
      aria-label="Filter missions"
      placeholder="Filter missions"
      value={value}
      onChange={(event) => setValue(event.target.value)}
    />
  );
}

function NoMissions({ filtered, showAll }: { filtered: boolean; showAll: () => void }) {
  if (!filtered)
    return (
      <Empty
        title="No missions yet"
        actions={
          <>
            <NewMissionButton primary />
            <Link className="button" to="/welcome">
              Connect an agent
            </Link>
            <code>mission demo</code>
          </>
        }
      >
        A mission is a goal with tasks for agents. Start one here, let an agent start one over MCP, or watch the demo.
      </Empty>
    );
  return (
    <Empty
      title="No matching missions"
      actions={
        <button type="button" className="button" onClick={showAll}>
          Show all missions
        </button>
      }
    >
      No mission matches these filters.
    </Empty>
  );
}
