// The drawing of the graph: phases as bands, lines, nodes, and the tip of the node that is pointed at or focused.
import { type KeyboardEvent, type SyntheticEvent, useMemo, useState } from "react";

import type { MissionOverview, RunTask } from "@/api/types";
import type { CriticalPath } from "@/features/shell/missions/time-estimates";
import { phaseName } from "@/ui/format";
import { doneCount } from "@/ui/status/progress-bar";
import { Edges } from "./graph-edges";
import { GraphNode } from "./graph-node";
import type { Box } from "./layout/fold-finished";
import { type Layout, type Placed, SIZES } from "./layout/layout";
import { roomFor, shortNames } from "./layout/short-names";
import { describeBox, describeNeighbors, nameOf, statusOf } from "./node-facts";
import { dependents, neighbor } from "./walking";

const TIP_WIDTH = 260;

interface DrawingProps {
  layout: Layout;
  boxes: readonly Box[];
  mission: MissionOverview;
  path: CriticalPath;
  stages: ReadonlyMap<string, RunTask>;
  scale: number;
  chosen: string | null;
  choose: (box: Box) => void;
}

export function Drawing({ layout, boxes, mission, path, stages, scale, chosen, choose }: DrawingProps) {
  const [pointed, point] = useState<string | null>(null);
  const [focused, focus] = useState<string | null>(null);
  const byId = useMemo(() => new Map(boxes.map((box) => [box.id, box])), [boxes]);
  const behind = useMemo(() => dependents(boxes), [boxes]);
  const names = useMemo(() => shortNames(mission.tasks, roomFor(layout.nodeWidth)), [mission.tasks, layout.nodeWidth]);
  const facts = useMemo(() => factsOf(boxes, byId, behind, path, stages), [boxes, byId, behind, path, stages]);
  const critical = useMemo(
    () => new Set(boxes.filter((box) => facts.get(box.id)!.critical).map(({ id }) => id)),
    [boxes, facts],
  );
  const near = useMemo(() => neighborsOf(pointed, byId, behind), [pointed, byId, behind]);
  const stop = tabStop(boxes, focused, chosen);
  const tip = pointed ?? focused;
  const size = { width: layout.nodeWidth, height: SIZES[layout.density].height };
  return (
    <div className="graph-room" style={{ width: layout.width * scale, height: layout.height * scale }}>
      <div
        className={`graph-scene as-${layout.density}`}
        style={{ width: layout.width, height: layout.height, transform: `scale(${scale})` }}
      >
        {layout.bands.map((band) => (
          <BandHead key={band.phase} x={band.x} width={band.width} phase={band.phase} mission={mission} />
        ))}
        <Edges layout={layout} byId={byId} behind={behind} critical={critical} pointed={tip} />
        <ul
          aria-label="Tasks"
          aria-describedby="graph-help"
          onClick={(event) => onNode(event, (id) => choose(byId.get(id)!))}
          onPointerOver={(event) => onNode(event, point)}
          onPointerLeave={() => point(null)}
          onFocus={(event) => onNode(event, focus)}
          onBlur={() => focus(null)}
          onKeyDown={(event) => walk(event, layout, byId, behind)}
        >
          {layout.nodes.map((place) => {
            const box = byId.get(place.id);
            const found = facts.get(place.id);
            if (box === undefined || found === undefined) return null;
            return (
              <li key={place.id} style={{ left: place.x, top: place.y, ...size }}>
                <GraphNode
                  box={box}
                  density={layout.density}
                  name={box.folded === null ? (names.get(box.tasks[0]!.id) ?? "") : nameOf(box)}
                  status={found.status}
                  label={found.label}
                  left={path.estimates.get(box.tasks[0]!.id)}
                  critical={found.critical}
                  chosen={box.tasks.some((task) => task.id === chosen)}
                  reachable={place.id === stop}
                  near={near.has(place.id)}
                />
              </li>
            );
          })}
        </ul>
        {tip !== null && (
          <Tip
            place={layout.nodes.find((node) => node.id === tip)}
            layout={layout}
            scale={scale}
            facts={facts.get(tip)}
          />
        )}
      </div>
    </div>
  );
}

interface Facts {
  name: string;
  words: string;
  neighbors: string;
  label: string;
  critical: boolean;
  status: ReturnType<typeof statusOf>;
}

function factsOf(
  boxes: readonly Box[],
  byId: ReadonlyMap<string, Box>,
  behind: ReadonlyMap<string, string[]>,
  path: CriticalPath,
  stages: ReadonlyMap<string, RunTask>,
): Map<string, Facts> {
  const position = new Map(boxes.map((box, at) => [box.id, at]));
  const named = (ids: readonly string[]) =>
    ids
      .filter((id) => byId.has(id))
      .toSorted((one, other) => position.get(one)! - position.get(other)!)
      .map((id) => nameOf(byId.get(id)!));
  return new Map(
    boxes.map((box) => {
      const critical = box.tasks.some((task) => path.path.has(task.id));
      const status = statusOf(box, stages);
      const name = nameOf(box);
      const words = describeBox(box, status, critical);
      const neighbors = describeNeighbors(named(box.needs), named(behind.get(box.id) ?? []));
      const label = `${name}: ${[words, neighbors].filter(Boolean).join(", ")}`;
      return [box.id, { name, words, neighbors, label, critical, status }];
    }),
  );
}

function neighborsOf(
  pointed: string | null,
  byId: ReadonlyMap<string, Box>,
  behind: ReadonlyMap<string, string[]>,
): ReadonlySet<string> {
  return new Set(pointed === null ? [] : [...(byId.get(pointed)?.needs ?? []), ...(behind.get(pointed) ?? [])]);
}

/** Return the one node that Tab leads to: the focused one, otherwise the selected one, otherwise the first. */
function tabStop(boxes: readonly Box[], focused: string | null, chosen: string | null): string | undefined {
  const own = boxes.find((box) => box.id === focused) ?? boxes.find((box) => box.tasks.some(({ id }) => id === chosen));
  return (own ?? boxes[0])?.id;
}

/** Act on the node that an event happened in. */
function onNode(event: SyntheticEvent, act: (id: string) => void): void {
  const id = (event.target as Element).closest<HTMLElement>("[data-node]")?.dataset.node;
  if (id !== undefined) act(id);
}

function walk(
  event: KeyboardEvent,
  layout: Layout,
  byId: ReadonlyMap<string, Box>,
  behind: ReadonlyMap<string, string[]>,
): void {
  onNode(event, (id) => {
    const next = neighbor(event.key, id, layout, byId, behind);
    if (next === undefined) return;
    event.preventDefault();
    document.getElementById(`node-${next}`)?.focus();
  });
}

interface TipProps {
  place: Placed | undefined;
  layout: Layout;
  scale: number;
  facts: Facts | undefined;
}

/** Show the whole name of a node and its neighbors, at a readable size whatever the scale. */
function Tip({ place, layout, scale, facts }: TipProps) {
  if (place === undefined || facts === undefined) return null;
  const width = TIP_WIDTH / scale;
  const { height } = SIZES[layout.density];
  const below = place.y + height + 90 / scale < layout.height;
  return (
    <div
      className="graph-tip popover"
      data-above={!below || undefined}
      aria-hidden="true"
      style={{
        left: Math.max(0, Math.min(place.x, layout.width - width)),
        top: below ? place.y + height + 4 / scale : place.y - 4 / scale,
        width: TIP_WIDTH,
        scale: String(1 / scale),
      }}
    >
      <strong dir="auto">{facts.name}</strong>
      <span>{facts.words}</span>
      {facts.neighbors !== "" && <span className="quiet">{facts.neighbors}</span>}
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
