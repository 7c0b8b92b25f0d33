// The lines between tasks. Between glyphs only the critical path is drawn, and the lines of the task pointed at.
import { memo } from "react";

import { isDone } from "@/features/shell/missions/time-estimates";
import type { Box } from "./layout/fold-finished";
import { type Edge, type Layout, type Placed, SIZES } from "./layout/layout";

interface EdgesProps {
  layout: Layout;
  byId: Map<string, Box>;
  behind: Map<string, string[]>;
  critical: Set<string>;
  pointed: string | null;
}

export const Edges = memo(function Edges({ layout, byId, behind, critical, pointed }: EdgesProps) {
  const edges = layout.density === "glyph" ? glyphEdges(layout, byId, behind, critical, pointed) : layout.edges;
  return (
    <svg width={layout.width} height={layout.height} aria-hidden="true">
      {edges.map((edge) => {
        const done = byId.get(edge.from)?.tasks.every(isDone) ?? false;
        const classes = [
          done ? "met" : "awaited",
          critical.has(edge.from) && critical.has(edge.to) ? "critical" : "",
          pointed === edge.from || pointed === edge.to ? "pointed" : "",
        ];
        const way = layout.density === "glyph" ? angular(edge.points) : curve(edge.points);
        return <path key={`${edge.from}>${edge.to}`} d={way} className={classes.join(" ")} />;
      })}
    </svg>
  );
});

function glyphEdges(
  layout: Layout,
  byId: Map<string, Box>,
  behind: Map<string, string[]>,
  critical: Set<string>,
  pointed: string | null,
): Edge[] {
  const places = new Map(layout.nodes.map((node) => [node.id, node]));
  const found = new Map<string, Edge>();
  const add = (from: string, to: string) => {
    const [one, other] = [places.get(from), places.get(to)];
    if (one === undefined || other === undefined) return;
    found.set(`${from}>${to}`, { from, to, points: betweenRows(one, other) });
  };
  for (const id of critical) for (const need of byId.get(id)?.needs ?? []) if (critical.has(need)) add(need, id);
  if (pointed !== null) {
    for (const need of byId.get(pointed)?.needs ?? []) add(need, pointed);
    for (const next of behind.get(pointed) ?? []) add(pointed, next);
  }
  return [...found.values()];
}

/** Return a way from below one glyph to below another: along the row, then down or up between two columns. */
function betweenRows(one: Placed, other: Placed): [number, number][] {
  const { width, height, columns } = SIZES.glyph;
  const turn = other.x - columns / 2;
  return [
    [one.x + width / 2, one.y + height - 1],
    [turn, one.y + height - 1],
    [turn, other.y + height - 1],
    [other.x + width / 2, other.y + height - 1],
  ];
}

function angular(points: readonly [number, number][]): string {
  return points.map(([x, y], at) => `${at === 0 ? "M" : "L"}${x} ${y}`).join("");
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
