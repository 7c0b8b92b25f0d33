// The rows of the missions list: grouped by what they need, with only the visible ones rendered.
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState } from "react";
import { Link, useNavigate } from "react-router";

import type { MissionAgent, MissionGlance } from "@/api/types";
import { useKeys } from "@/features/shell/keyboard/keyboard-shortcuts";
import { Ago, ShowNewButton } from "@/ui/basics";
import { describeCost, plural, span } from "@/ui/format";
import { useChangeHighlight } from "@/ui/hooks/use-change-highlight";
import { useStableRows } from "@/ui/hooks/use-stable-rows";
import { describeCounts, doneCount, ProgressBar } from "@/ui/status/progress-bar";
import { missionStatus, QUEUE, statusFor, TASK } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";

const ROW = 52;
const HEADING = 32;
const GROUPS: Record<string, string> = {
  needs_you: "Needs you",
  running: "Running",
  planning: "Planning and ready",
  rest: "The rest",
};
const GLYPHS = 6;

/** A row of the list: a mission, or the heading of a group. */
export type ListRow = { heading: string; id: string } | { mission: MissionGlance; id: string };

/** Return the missions with a heading before each group; none if there is only one group. */
export function withHeadings(missions: readonly MissionGlance[]): ListRow[] {
  const groups = new Set(missions.map((mission) => mission.group));
  const rows: ListRow[] = [];
  let group = "";
  for (const mission of missions) {
    if (mission.group !== group && groups.size > 1)
      rows.push({ heading: GROUPS[mission.group] ?? mission.group, id: `group ${mission.group}` });
    group = mission.group;
    rows.push({ mission, id: mission.id });
  }
  return rows;
}

interface RowsProps {
  rows: MissionGlance[];
  total: number;
  more: () => void;
  selected: ReadonlySet<string>;
  select: (id: string, selected: boolean) => void;
}

export function MissionRows({ rows: newest, total, more, selected, select }: RowsProps) {
  const list = useRef<HTMLDivElement>(null);
  const { shown, fresh, show } = useStableRows(newest, list);
  const rows = useMemo(() => withHeadings(shown), [shown]);
  const navigate = useNavigate();
  const [chosenId, choose] = useState<string | null>(null);
  const chosen = shown.findIndex((row) => row.id === chosenId);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: (index) => ("heading" in rows[index]! ? HEADING : ROW),
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
        const next = shown[Math.max(0, Math.min(chosen + step, shown.length - 1))];
        choose(next?.id ?? null);
        virtual.scrollToIndex(rows.findIndex((row) => row.id === next?.id));
      };
      return {
        j: () => move(1),
        k: () => move(-1),
        x: () => chosenId !== null && select(chosenId, !selected.has(chosenId)),
        Enter: () => {
          if (chosenId !== null) void navigate(`/missions/${chosenId}`);
        },
      };
    }, [chosen, chosenId, shown, rows, virtual, navigate, select, selected]),
  );
  return (
    <>
      <ShowNewButton count={fresh} show={show} />
      <div role="table" aria-label="Missions" aria-rowcount={total + 1} ref={list} className="mission-table">
        <div role="row" className="mission-row head">
          <span role="columnheader" className="select">
            <span className="hidden">Select</span>
          </span>
          <span role="columnheader">Mission</span>
          <span role="columnheader">Progress</span>
          <span role="columnheader" className="agents">
            Agents
          </span>
          <span role="columnheader" className="num left">
            Time left
          </span>
          <span role="columnheader" className="num cost">
            Cost
          </span>
          <span role="columnheader" className="num activity">
            Last activity
          </span>
        </div>
        <div role="rowgroup" style={{ height: virtual.getTotalSize(), position: "relative" }}>
          {items.map((item) => {
            const row = rows[item.index]!;
            const top = item.start - virtual.options.scrollMargin;
            if ("heading" in row)
              return (
                <div
                  key={row.id}
                  role="row"
                  aria-rowindex={item.index + 2}
                  className="mission-group"
                  style={{ height: HEADING, transform: `translateY(${top}px)` }}
                >
                  <span role="rowheader">{row.heading}</span>
                </div>
              );
            return (
              <Row
                key={row.id}
                mission={row.mission}
                index={item.index}
                chosen={row.id === chosenId}
                top={top}
                selected={selected.has(row.id)}
                select={select}
              />
            );
          })}
        </div>
      </div>
    </>
  );
}

interface RowProps {
  mission: MissionGlance;
  index: number;
  chosen: boolean;
  top: number;
  selected: boolean;
  select: (id: string, selected: boolean) => void;
}

function Row({ mission, index, chosen, top, selected, select }: RowProps) {
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
      <span role="cell" className="select">
        <input
          type="checkbox"
          aria-label={`Select ${mission.name}`}
          checked={selected}
          onChange={(event) => select(mission.id, event.target.checked)}
        />
      </span>
      <span role="cell" className="name">
        <StatusIcon status={missionStatus(mission, mission.tasks)} />
        <span className="words">
          <span className="title">
            <Link to={`/missions/${mission.id}`} className="cut" title={mission.name}>
              {mission.name}
            </Link>
            {mission.needs_you > 0 && (
              <Link to={`/missions/${mission.id}`} className="tag tone-attention">
                <StatusIcon status={QUEUE.question!} size={12} decorative />
                {plural(mission.needs_you, "needs you", "need you")}
              </Link>
            )}
            {tasks.failed > 0 && <span className="tag tone-danger">{tasks.failed} failed</span>}
          </span>
          <span className="meta cut">
            {[folderName(mission.repository_path), mission.objective].filter(Boolean).join(" · ")}
          </span>
        </span>
      </span>
      <span role="cell" className="bar" title={describeCounts(tasks)}>
        <ProgressBar counts={tasks} />
        <span className="meta">
          {doneCount(tasks) + tasks.skipped} of {tasks.total}
        </span>
      </span>
      <span role="cell" className="agents">
        <Agents agents={mission.agents} />
      </span>
      <span role="cell" className="num left quiet">
        {describeLeft(mission.estimated_range)}
      </span>
      <span role="cell" className="num cost quiet">
        {describeSpent(mission.cost)}
      </span>
      <span role="cell" className="num activity quiet">
        <Ago at={mission.updated_at} />
      </span>
    </div>
  );
}

function Agents({ agents }: { agents: readonly MissionAgent[] }) {
  return (
    <>
      {agents.slice(0, GLYPHS).map((agent) => (
        <Link key={agent.task_id} to={`/tasks/${agent.task_id}`} title={describeAgent(agent)}>
          <StatusIcon status={{ ...statusFor(TASK, agent.state), word: describeAgent(agent) }} size={14} />
        </Link>
      ))}
      {agents.length > GLYPHS && <span className="meta">+{agents.length - GLYPHS}</span>}
    </>
  );
}

function describeAgent(agent: MissionAgent): string {
  return `${agent.name ?? "An agent"}: ${statusFor(TASK, agent.state).word}`;
}

/** Return the last part of a path. */
export function folderName(path: string | null): string {
  return path?.replace(/\/+$/, "").split("/").at(-1) ?? "";
}

/** `20 to 40 min`; nothing until enough tasks have ended to tell. */
export function describeLeft(range: readonly number[] | null): string {
  if (range === null) return "";
  const [low, high] = range.map((seconds) => span(seconds, { short: true }));
  return low === high ? `about ${low}` : `${low} to ${high}`;
}

/** Return the cost of a mission; nothing if nobody has worked on it. */
export function describeSpent(cost: { usd: number | null; unknown: number }): string {
  return cost.usd === null && cost.unknown === 0 ? "" : describeCost(cost, { short: true });
}
