// The task graph: dependencies, states and the critical path. The more tasks, the denser it is.
import { type KeyboardEvent, type PointerEvent, useEffect, useMemo, useRef, useState } from "react";

import type { MissionOverview, MissionTask } from "@/api/types";
import { describeChecks } from "@/features/shell/evidence/describe-checks";
import { useKeys } from "@/features/shell/keyboard/keyboard-shortcuts";
import { type CriticalPath, criticalPath, elapsed, isDone } from "@/features/shell/missions/time-estimates";
import { Segmented } from "@/ui/basics";
import { describeFailedAttempts, phaseName, span } from "@/ui/format";
import { serverNow } from "@/ui/hooks/use-server-clock";
import { Skeleton } from "@/ui/query-states";
import { doneCount } from "@/ui/status/progress-bar";
import { statusFor, TASK } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";
import { ViewControls } from "../view-controls";
import { type Box, folded, unfolded } from "./fold-finished";
import { type Density, type Edge, type Layout, SIZES } from "./layout";
import { useLayout } from "./use-layout";
import "./task-graph.css";

export type Show = "all" | "open" | "critical";
const SHOWS = [
  ["all", "All"],
  ["open", "Open and next"],
  ["critical", "Critical path"],
] as const;
const STEPS = [0.5, 0.65, 0.8, 1, 1.25];

interface TaskGraphProps {
  mission: MissionOverview;
  chosen: string | null;
  choose: (task: string) => void;
}

export function TaskGraph({ mission, chosen, choose }: TaskGraphProps) {
  const [show, setShow] = useState<Show>("all");
  const [zoom, setZoom] = useState<{ density: Density; scale: number } | null>(null);
  const path = useMemo(() => criticalPath(mission), [mission]);
  const tasks = useMemo(() => chosenTasks(mission.tasks, path, show), [mission.tasks, path, show]);
  const usual = usualDensity(tasks.length);
  const density = zoom?.density ?? usual;
  const boxes = useMemo(
    () => (density === "line" && zoom === null ? folded(tasks) : unfolded(tasks)),
    [tasks, density, zoom],
  );
  const layout = useLayout(boxes, density);
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const fitting =
    layout === null ? 1 : Math.max(density === "glyph" ? 0.6 : 0.8, Math.min(1, (width - 2) / layout.width));
  const scale = zoom?.scale ?? fitting;
  const step = (by: 1 | -1) => setZoom(nextZoom({ density, scale }, by));
  useKeys(
    useMemo(
      () => ({ f: () => setZoom(null), c: () => setShow((now) => (now === "critical" ? "all" : "critical")) }),
      [],
    ),
  );
  return (
    <section className="card graph" aria-label="Task graph">
      <ViewControls>
        <div className="wide-only actions">
          <Segmented label="Filter tasks" options={SHOWS} value={show} choose={setShow} />
          <button type="button" className="button small" onClick={() => step(-1)} aria-label="Zoom out">
            −
          </button>
          <button type="button" className="button small" onClick={() => setZoom(null)}>
            Fit
          </button>
          <button type="button" className="button small" onClick={() => step(1)} aria-label="Zoom in">
            +
          </button>
          <span className="quiet zoom" title="Zoom">
            {Math.round(scale * 100)} %
          </span>
        </div>
      </ViewControls>
      <div className="graph-frame" ref={frame} onPointerDown={(event) => pan(event, frame.current)} tabIndex={-1}>
        {layout === null ? (
          <Skeleton rows={6} />
        ) : (
          <Drawing
            layout={layout}
            boxes={boxes}
            mission={mission}
            path={path}
            scale={scale}
            chosen={chosen}
            choose={choose}
          />
        )}
      </div>
      <Legend density={density} />
    </section>
  );
}

export function usualDensity(tasks: number): Density {
  return tasks <= 40 ? "full" : tasks <= 150 ? "line" : "glyph";
}

function chosenTasks(tasks: MissionTask[], path: CriticalPath, show: Show): MissionTask[] {
  if (show === "critical") return tasks.filter((task) => path.path.has(task.id));
  if (show === "all") return tasks;
  const open = new Set(tasks.filter((task) => !isDone(task) && task.state !== "waiting").map((task) => task.id));
  return tasks.filter((task) => open.has(task.id) || (!isDone(task) && task.depends_on.some((id) => open.has(id))));
}

/** Zoom one step: first the scale, then the next density. */
function nextZoom(now: { density: Density; scale: number }, by: 1 | -1): { density: Density; scale: number } {
  const densities: Density[] = ["glyph", "line", "full"];
  const scale =
    by > 0 ? STEPS.find((each) => each > now.scale + 0.01) : STEPS.findLast((each) => each < now.scale - 0.01);
  const other = densities[densities.indexOf(now.density) + by];
  if (by > 0 && now.scale >= 0.99 && other !== undefined) return { density: other, scale: 0.8 };
  if (by < 0 && now.scale <= 0.81 && other !== undefined) return { density: other, scale: 1 };
  return { density: now.density, scale: scale ?? now.scale };
}

interface DrawingProps extends TaskGraphProps {
  layout: Layout;
  boxes: Box[];
  path: CriticalPath;
  scale: number;
}

function Drawing({ layout, boxes, mission, path, scale, chosen, choose }: DrawingProps) {
  const [pointed, point] = useState<string | null>(null);
  const byId = useMemo(() => new Map(boxes.map((box) => [box.id, box])), [boxes]);
  const behind = useMemo(() => dependents(boxes), [boxes]);
  const size = SIZES[layout.density];
  const first = boxes[0]?.id;
  const onWay = (box: Box) => box.tasks.some((task) => path.path.has(task.id));
  const walk = (event: KeyboardEvent<HTMLElement>, id: string) => {
    const next = neighbor(event.key, id, layout, byId, behind);
    if (next === undefined) return;
    event.preventDefault();
    document.getElementById(`node-${next}`)?.focus();
  };
  return (
    <div className="graph-room" style={{ width: layout.width * scale, height: layout.height * scale }}>
      <div
        className={`graph-scene as-${layout.density}`}
        style={{ width: layout.width, height: layout.height, transform: `scale(${scale})` }}
      >
        {layout.bands.map((band) => (
          <BandHead key={band.phase} x={band.x} width={band.width} phase={band.phase} mission={mission} />
        ))}
        <Edges layout={layout} byId={byId} onWay={onWay} pointed={pointed} behind={behind} />
        <ul>
          {layout.nodes.map((place) => {
            const box = byId.get(place.id);
            if (box === undefined) return null;
            return (
              <li
                key={place.id}
                style={{ left: place.x, top: place.y, width: size.width, height: size.height }}
                onPointerEnter={() => point(place.id)}
                onPointerLeave={() => point(null)}
              >
                <Node
                  box={box}
                  density={layout.density}
                  path={path}
                  critical={onWay(box)}
                  chosen={box.tasks.some((task) => task.id === chosen)}
                  reachable={place.id === (chosen ?? first)}
                  choose={() => choose(box.tasks[0]!.id)}
                  walk={(event) => walk(event, place.id)}
                />
              </li>
            );
          })}
        </ul>
      </div>
    </div>
  );
}

interface BandHeadProps {
  x: number;
  width: number;
  phase: number;
  mission: MissionOverview;
}

function BandHead({ x, width, phase, mission }: BandHeadProps) {
  const found = mission.phases.find((each) => each.number === phase);
  const done = found === undefined ? 0 : doneCount(found.tasks) + found.tasks.skipped;
  const narrow = width < 100;
  const name = found === undefined ? `Phase ${phase}` : phaseName(found);
  return (
    <div className="band" style={{ left: x, width }}>
      <p className="cut" title={name}>
        <strong>{narrow ? phase : name}</strong>{" "}
        {found !== undefined && !narrow && (
          <span className="count">
            {done} of {found.tasks.total}
          </span>
        )}
      </p>
    </div>
  );
}

interface EdgesProps {
  layout: Layout;
  byId: Map<string, Box>;
  behind: Map<string, string[]>;
  onWay: (box: Box) => boolean;
  pointed: string | null;
}

function Edges({ layout, byId, behind, onWay, pointed }: EdgesProps) {
  const critical = (edge: Edge) => {
    const from = byId.get(edge.from);
    const to = byId.get(edge.to);
    return from !== undefined && to !== undefined && onWay(from) && onWay(to);
  };
  const edges = layout.density === "glyph" ? glyphEdges(layout, byId, onWay, pointed, behind) : layout.edges;
  return (
    <svg width={layout.width} height={layout.height} aria-hidden="true">
      {edges.map((edge) => {
        const done = byId.get(edge.from)?.tasks.every(isDone) ?? false;
        const classes = [
          done ? "met" : "awaited",
          critical(edge) ? "critical" : "",
          [edge.from, edge.to].includes(pointed ?? "") ? "pointed" : "",
        ];
        return <path key={`${edge.from}>${edge.to}`} d={curve(edge.points)} className={classes.join(" ")} />;
      })}
    </svg>
  );
}

/** Return the edges shown between glyphs: the critical path, and those of the node under the pointer. */
function glyphEdges(
  layout: Layout,
  byId: Map<string, Box>,
  onWay: (box: Box) => boolean,
  pointed: string | null,
  behind: Map<string, string[]>,
): Edge[] {
  const places = new Map(layout.nodes.map((node) => [node.id, node]));
  const half = SIZES.glyph.width / 2;
  const found: Edge[] = [];
  const add = (from: string, to: string) => {
    const [one, other] = [places.get(from), places.get(to)];
    if (one === undefined || other === undefined) return;
    found.push({
      from,
      to,
      points: [
        [one.x + half, one.y + half],
        [other.x + half, other.y + half],
      ],
    });
  };
  for (const box of byId.values())
    if (onWay(box)) for (const need of box.needs) if (onWay(byId.get(need)!)) add(need, box.id);
  if (pointed !== null) {
    for (const need of byId.get(pointed)?.needs ?? []) add(need, pointed);
    for (const next of behind.get(pointed) ?? []) add(pointed, next);
  }
  return found;
}

function curve(points: [number, number][]): string {
  const [start, ...rest] = points;
  if (start === undefined) return "";
  let path = `M${start[0]} ${start[1]}`;
  let [x, y] = start;
  for (const [nextX, nextY] of rest) {
    const bend = Math.max(10, (nextX - x) / 2);
    path += y === nextY ? `L${nextX} ${nextY}` : `C${x + bend} ${y} ${nextX - bend} ${nextY} ${nextX} ${nextY}`;
    [x, y] = [nextX, nextY];
  }
  return path;
}

interface NodeProps {
  box: Box;
  density: Density;
  path: CriticalPath;
  critical: boolean;
  chosen: boolean;
  reachable: boolean;
  choose: () => void;
  walk: (event: KeyboardEvent<HTMLElement>) => void;
}

function Node({ box, density, path, critical: isCritical, chosen, reachable, choose, walk }: NodeProps) {
  const task = box.tasks[0]!;
  const status = statusFor(TASK, stateOf(box));
  const name = box.folded === null ? task.name : foldedName(box);
  const failed = box.folded === null ? describeFailedAttempts(task.failed_attempts) : "";
  const checks = box.folded === null ? describeChecks(task) : "";
  const words = `${name}: ${status.word}${checks !== "" ? `, ${checks}` : ""}${task.agent !== null && box.folded === null ? `, ${task.agent}` : ""}${failed !== "" ? `, ${failed}` : ""}${isCritical ? ", on the critical path" : ""}`;
  return (
    <button
      id={`node-${box.id}`}
      type="button"
      className={`node as-${density} tone-${status.tone} state-${stateOf(box)}`}
      data-critical={isCritical || undefined}
      data-chosen={chosen || undefined}
      data-folded={box.folded ?? undefined}
      data-failing={failed !== "" || task.proof_state === "failing" || undefined}
      aria-label={density === "full" ? undefined : words}
      title={density === "full" ? undefined : words}
      tabIndex={reachable ? 0 : -1}
      onClick={choose}
      onKeyDown={walk}
    >
      {density === "full" && box.folded === null ? (
        <>
          <span className="name">
            {task.name}
            <span className="hidden">
              : {status.word}
              {checks !== "" && `, ${checks}`}
              {failed !== "" && `, ${failed}`}
              {isCritical && ", on the critical path"}
            </span>
          </span>
          <span className="top">
            <StatusIcon status={status} size={14} decorative />
            <span className="agent cut">
              {task.agent ?? (task.proof_state === "failing" ? "" : estimate(task, path))}
            </span>
            {task.proof_state === "failing" && (
              <span className="failed-attempts" aria-hidden="true" title={checks}>
                checks failed
              </span>
            )}
            {failed !== "" && task.proof_state !== "failing" && (
              <span className="failed-attempts" aria-hidden="true" title={failed}>
                {task.failed_attempts} failed
              </span>
            )}
            <span className="time">{task.agent !== null && timeOf(task)}</span>
          </span>
        </>
      ) : (
        <>
          <StatusIcon status={status} size={density === "glyph" ? 16 : 14} decorative />
          {density !== "glyph" && <span className="cut">{name}</span>}
        </>
      )}
    </button>
  );
}

/** Return the state that a box shows: folded tasks are proved only if all of them are. */
function stateOf(box: Box): string {
  if (box.folded === "waiting") return "waiting";
  if (box.folded === null) return box.tasks[0]!.state;
  return box.tasks.every((task) => task.state === "proved") ? "proved" : "unproved";
}

function foldedName(box: Box): string {
  if (box.folded === "waiting") return `${box.tasks.length} waiting`;
  const proved = box.tasks.filter((task) => task.state === "proved").length;
  return proved === box.tasks.length ? `${proved} proved` : `${box.tasks.length} done, ${proved} proved`;
}

function timeOf(task: MissionTask): string {
  return task.started_at === null ? "" : span(elapsed(task, serverNow()), { short: true });
}

function estimate(task: MissionTask, path: CriticalPath): string {
  const seconds = path.estimates.get(task.id);
  return seconds === undefined ? "" : `est. ${span(seconds, { short: true })}`;
}

function dependents(boxes: readonly Box[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const box of boxes)
    for (const need of box.needs) {
      const list = found.get(need);
      if (list === undefined) found.set(need, [box.id]);
      else list.push(box.id);
    }
  return found;
}

/** Return the node that an arrow key leads to: along the edges, or up and down in a column. */
function neighbor(
  key: string,
  id: string,
  layout: Layout,
  byId: Map<string, Box>,
  behind: Map<string, string[]>,
): string | undefined {
  if (key === "ArrowRight") return behind.get(id)?.[0];
  if (key === "ArrowLeft") return byId.get(id)?.needs[0];
  if (key !== "ArrowUp" && key !== "ArrowDown") return undefined;
  const here = layout.nodes.find((node) => node.id === id);
  if (here === undefined) return undefined;
  const column = layout.nodes.filter((node) => node.x === here.x).sort((one, other) => one.y - other.y);
  return column[column.indexOf(here) + (key === "ArrowDown" ? 1 : -1)]?.id;
}

function pan(event: PointerEvent<HTMLElement>, frame: HTMLElement | null): void {
  if (frame === null || event.pointerType !== "mouse" || (event.target as Element).closest("button") !== null) return;
  const start = { x: event.clientX + frame.scrollLeft, y: event.clientY + frame.scrollTop };
  const move = (next: globalThis.PointerEvent) => frame.scrollTo(start.x - next.clientX, start.y - next.clientY);
  const end = () => window.removeEventListener("pointermove", move);
  window.addEventListener("pointermove", move);
  window.addEventListener("pointerup", end, { once: true });
}

function useWidth(frame: React.RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(900);
  useEffect(() => {
    if (frame.current === null) return;
    const watcher = new ResizeObserver(([entry]) => entry !== undefined && setWidth(entry.contentRect.width));
    watcher.observe(frame.current);
    return () => watcher.disconnect();
  }, [frame]);
  return width;
}

const LEGEND = [
  "proved",
  "unproved",
  "accepted",
  "checking",
  "working",
  "asks",
  "review",
  "ready",
  "waiting",
  "failed",
];

function Legend({ density }: { density: Density }) {
  return (
    <footer className="legend meta">
      {LEGEND.map((word) => {
        const status = statusFor(TASK, word);
        return (
          <span key={word}>
            <StatusIcon status={status} size={14} decorative /> {status.word}
          </span>
        );
      })}
      <span className="lines">
        <svg width="24" height="8" aria-hidden="true">
          <path d="M0 4h24" className="critical" />
        </svg>
        critical path
        {density !== "glyph" && (
          <>
            <svg width="24" height="8" aria-hidden="true">
              <path d="M0 4h24" className="met" />
            </svg>{" "}
            done
            <svg width="24" height="8" aria-hidden="true">
              <path d="M0 4h24" className="awaited" />
            </svg>{" "}
            pending
          </>
        )}
      </span>
    </footer>
  );
}
