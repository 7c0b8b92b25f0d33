// The task graph: dependencies, states and the critical path. The more tasks, the denser it is.
import { type PointerEvent, type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from "react";

import type { MissionOverview, MissionTask } from "@/api/types";
import { useKeys } from "@/features/shell/keyboard/keyboard-shortcuts";
import { type CriticalPath, criticalPath, isDone } from "@/features/shell/missions/time-estimates";
import { Segmented } from "@/ui/basics";
import { Skeleton } from "@/ui/query-states";
import { ViewControls } from "../view-controls";
import { Drawing } from "./graph-drawing";
import { Legend } from "./graph-legend";
import { type Box, folded, unfolded } from "./layout/fold-finished";
import { nodeWidthFor } from "./layout/layout";
import { useLayout } from "./layout/use-layout";
import { fittingDensity, nextZoom, type Room, readableScale, scaleToFit, usualDensity, type Zoom } from "./layout/zoom";
import { useStages } from "./use-stages";
import "./task-graph.css";

type Show = "all" | "open" | "critical";
const SHOWS = [
  ["all", "All"],
  ["open", "Open and next"],
  ["critical", "Critical path"],
] as const;
const NOTHING: ReadonlySet<string> = new Set();

interface TaskGraphProps {
  mission: MissionOverview;
  chosen: string | null;
  choose: (task: string) => void;
  /** Controls to show next to those of the graph. */
  controls?: ReactNode;
}

export function TaskGraph({ mission, chosen, choose, controls }: TaskGraphProps) {
  const [show, setShow] = useState<Show>("all");
  const [opened, setOpened] = useState(NOTHING);
  const path = useMemo(() => criticalPath(mission), [mission]);
  const tasks = useMemo(() => chosenTasks(mission.tasks, path, show), [mission.tasks, path, show]);
  const stages = useStages(mission.id);
  const frame = useRef<HTMLDivElement>(null);
  const room = useRoom(frame);
  const { density, boxes, layout, scale, fit, step } = useZoomed(tasks, opened, room);
  useKeys(useMemo(() => ({ f: fit, c: () => setShow((now) => (now === "critical" ? "all" : "critical")) }), [fit]));
  const chooseBox = (box: Box) => {
    if (box.folded === null) choose(box.tasks[0]!.id);
    else setOpened(new Set([...opened, box.id]));
  };
  return (
    <section className="card graph" aria-label="Task graph">
      <ViewControls>
        <div className="wide-only actions">
          <Segmented label="Filter tasks" options={SHOWS} value={show} choose={setShow} />
          <button type="button" className="button small" onClick={() => step(-1)} aria-label="Zoom out">
            −
          </button>
          <button type="button" className="button small" title="Show all of it (f)" onClick={fit}>
            Fit
          </button>
          <button type="button" className="button small" onClick={() => step(1)} aria-label="Zoom in">
            +
          </button>
          <span className="quiet zoom" title="Zoom">
            {Math.round(scale * 100)} %
          </span>
          {controls}
        </div>
      </ViewControls>
      <p id="graph-help" className="hidden">
        The right and left arrow keys follow the dependencies, up and down move in a column, Enter opens a task.
      </p>
      <div className="graph-frame" ref={frame} onPointerDown={(event) => pan(event, frame.current)} tabIndex={-1}>
        {layout === null ? (
          <Skeleton rows={6} />
        ) : (
          <Drawing
            layout={layout}
            boxes={boxes}
            mission={mission}
            path={path}
            stages={stages}
            scale={scale}
            chosen={chosen}
            choose={chooseBox}
          />
        )}
      </div>
      <Legend density={density} />
    </section>
  );
}

/** Return the layout and its scale: readable by default, all of it after Fit, or as a person zoomed. */
function useZoomed(tasks: readonly MissionTask[], opened: ReadonlySet<string>, room: Room) {
  const [zoom, setZoom] = useState<Zoom | "readable" | "whole">("readable");
  const own = typeof zoom === "string" ? null : zoom;
  const boxes = useMemo(
    () => (usualDensity(tasks.length) === "line" && own === null ? folded(tasks, opened) : unfolded(tasks)),
    [tasks, opened, own],
  );
  const density = useMemo(
    () => own?.density ?? (zoom === "whole" ? fittingDensity(boxes, room) : usualDensity(boxes.length)),
    [own, zoom, boxes, room],
  );
  const nodeWidth = useMemo(() => nodeWidthFor(boxes, density, room.width), [boxes, density, room.width]);
  const layout = useLayout(boxes, density, nodeWidth);
  const fitted = layout === null ? 1 : (zoom === "whole" ? scaleToFit : readableScale)(layout, room);
  const scale = own?.scale ?? fitted;
  const fit = useMemo(() => () => setZoom("whole"), []);
  return { density, boxes, layout, scale, fit, step: (by: 1 | -1) => setZoom(nextZoom({ density, scale }, by)) };
}

function chosenTasks(tasks: MissionTask[], path: CriticalPath, show: Show): MissionTask[] {
  if (show === "critical") return tasks.filter((task) => path.path.has(task.id));
  if (show === "all") return tasks;
  const open = new Set(tasks.filter((task) => !isDone(task) && task.state !== "waiting").map((task) => task.id));
  return tasks.filter((task) => open.has(task.id) || (!isDone(task) && task.depends_on.some((id) => open.has(id))));
}

function pan(event: PointerEvent<HTMLElement>, frame: HTMLElement | null): void {
  if (frame === null || event.pointerType !== "mouse" || (event.target as Element).closest("button") !== null) return;
  const start = { x: event.clientX + frame.scrollLeft, y: event.clientY + frame.scrollTop };
  const move = (next: globalThis.PointerEvent) => frame.scrollTo(start.x - next.clientX, start.y - next.clientY);
  const end = () => window.removeEventListener("pointermove", move);
  window.addEventListener("pointermove", move);
  window.addEventListener("pointerup", end, { once: true });
}

/** Return the width of the frame, and the height that it may take (see `max-height` of `.graph-frame`). */
function useRoom(frame: RefObject<HTMLElement | null>): Room {
  const [room, setRoom] = useState<Room>({ width: 900, height: 640 });
  useEffect(() => {
    if (frame.current === null) return;
    const watcher = new ResizeObserver(([entry]) => {
      if (entry !== undefined)
        setRoom({ width: entry.contentRect.width - 2, height: Math.max(200, window.innerHeight * 0.72) - 2 });
    });
    watcher.observe(frame.current);
    return () => watcher.disconnect();
  }, [frame]);
  return room;
}
