// All missions. The filters are part of the address, and only visible rows are rendered.
import { useInfiniteQuery } from "@tanstack/react-query";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState } from "react";
import { Link, useNavigate } from "react-router";

import { call } from "@/api/call-tool";
import type { ListMissionGlances, MissionGlance, MissionGlances } from "@/api/types";
import { useKeys } from "@/features/shell/keyboard/keyboard-shortcuts";
import { NewMissionButton } from "@/features/shell/missions/new-mission-form";
import { Ago, Segmented, ShowNewButton } from "@/ui/basics";
import { count } from "@/ui/format";
import { useChangeHighlight } from "@/ui/hooks/use-change-highlight";
import { useStableRows } from "@/ui/hooks/use-stable-rows";
import { useUrlFilters } from "@/ui/hooks/use-url-filters";
import { Empty, Loaded } from "@/ui/query-states";
import { describeCounts, doneCount, ProgressBar } from "@/ui/status/progress-bar";
import { missionStatus } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";
import "./missions.css";

const PAGE = 200;
const ROW = 44;
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
      <section className="card" aria-label="Missions">
        <Loaded query={{ data: first, error: pages.error, refetch: pages.refetch }} what="missions" rows={8}>
          {(found) =>
            found.missions.length === 0 ? (
              <NoMissions filtered={text !== "" || filter !== "all"} showAll={() => void navigate("?show=all")} />
            ) : (
              <Rows
                rows={rows}
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

interface RowsProps {
  rows: MissionGlance[];
  total: number;
  more: () => void;
}

function Rows({ rows: newest, total, more }: RowsProps) {
  const list = useRef<HTMLDivElement>(null);
  const { shown: rows, fresh, show } = useStableRows(newest, list);
  const navigate = useNavigate();
  const [chosenId, choose] = useState<string | null>(null);
  const chosen = rows.findIndex((row) => row.id === chosenId);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => ROW,
    overscan: 12,
    scrollMargin: list.current?.offsetTop ?? 0,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= rows.length - 20 && newest.length < total) more();
  }, [last, rows.length, newest.length, total, more]);
  useKeys(
    useMemo(() => {
      const move = (step: number) => {
        const next = Math.max(0, Math.min(chosen + step, rows.length - 1));
        choose(rows[next]?.id ?? null);
        virtual.scrollToIndex(next);
      };
      return {
        j: () => move(1),
        k: () => move(-1),
        Enter: () => {
          const row = rows[chosen];
          if (row !== undefined) void navigate(`/missions/${row.id}`);
        },
      };
    }, [chosen, rows, virtual, navigate]),
  );
  return (
    <>
      <ShowNewButton count={fresh} show={show} />
      <div role="table" aria-label="Missions" aria-rowcount={total + 1} ref={list} className="mission-table">
        <div role="row" className="mission-row head">
          <span role="columnheader">Mission</span>
          <span role="columnheader">Progress</span>
          <span role="columnheader" className="work">
            At work
          </span>
          <span role="columnheader" className="num">
            Last activity
          </span>
        </div>
        <div role="rowgroup" style={{ height: virtual.getTotalSize(), position: "relative" }}>
          {items.map((item) => {
            const row = rows[item.index]!;
            return (
              <Row
                key={row.id}
                mission={row}
                index={item.index}
                chosen={item.index === chosen}
                top={item.start - virtual.options.scrollMargin}
              />
            );
          })}
        </div>
      </div>
    </>
  );
}

function Row({ mission, index, chosen, top }: { mission: MissionGlance; index: number; chosen: boolean; top: number }) {
  const { tasks } = mission;
  const row = useChangeHighlight<HTMLDivElement>(`${mission.status} ${JSON.stringify(tasks)} ${mission.at_work}`);
  return (
    <div
      ref={row}
      role="row"
      aria-rowindex={index + 2}
      className="mission-row"
      data-chosen={chosen || undefined}
      style={{ height: ROW, transform: `translateY(${top}px)` }}
    >
      <span role="cell" className="name">
        <StatusIcon status={missionStatus(mission, mission.tasks)} />
        <span className="words">
          <Link to={`/missions/${mission.id}`} className="cut">
            {mission.name}
          </Link>
          <span className="meta cut">{mission.objective}</span>
        </span>
      </span>
      <span role="cell" className="bar" title={describeCounts(tasks)}>
        <ProgressBar counts={tasks} />
        <span className="meta">
          {doneCount(tasks) + tasks.skipped} of {tasks.total}
        </span>
      </span>
      <span role="cell" className="work quiet">
        {mission.at_work > 0 ? mission.at_work : ""}
      </span>
      <span role="cell" className="num quiet">
        <Ago at={mission.updated_at} />
      </span>
    </div>
  );
}
