// Lays out the graph from left to right by longest path, with phases as bands and few crossing edges.

export type Density = "full" | "line" | "glyph";

export interface Item {
  id: string;
  phase: number;
  needs: string[];
}

export interface Placed {
  id: string;
  x: number;
  y: number;
}

export interface Edge {
  from: string;
  to: string;
  /** Its path: from the right of its source, through free rows, to the left of its target. */
  points: [number, number][];
}

export interface Band {
  phase: number;
  x: number;
  width: number;
}

export interface Layout {
  density: Density;
  width: number;
  height: number;
  nodeWidth: number;
  nodes: Placed[];
  edges: Edge[];
  bands: Band[];
}

interface Size {
  width: number;
  height: number;
  columns: number;
  rows: number;
}

/** The size of a node and the space around it; nodes with a name are narrower if there are many columns. */
export const SIZES: Record<Density, Size> = {
  full: { width: 160, height: 60, columns: 18, rows: 12 },
  line: { width: 160, height: 40, columns: 18, rows: 8 },
  glyph: { width: 24, height: 24, columns: 8, rows: 0 },
};
const MIN_WIDTH = 128;
const WIDTH_STEP = 8;
const TOP = 40;
const EDGE = 14;
const SWEEPS = 4;
const TALLEST = 24;
/** How many tasks without any dependency share a column. */
const MAX_ALONE = 10;

interface Cell {
  id: string;
  rank: number;
  row: number;
  /** Whether it only reserves space for an edge that crosses the rank. */
  passes: boolean;
  left: Cell[];
  right: Cell[];
}

/** Lay out the graph. As glyphs, only the critical path has edges, so edges need no space. */
export function layout(items: readonly Item[], density: Density, nodeWidth: number = SIZES[density].width): Layout {
  const ranks = rankOf(items);
  const routed = density !== "glyph";
  const cells = new Map<string, Cell>();
  for (const item of items) cells.set(item.id, cell(item.id, ranks.get(item.id)!));
  const chains = routed ? items.flatMap((item) => item.needs.map((need) => chain(cells, need, item.id))) : [];
  const ranked = columnsOf([...new Set([...cells.values(), ...chains.flat()])]);
  if (routed) for (let sweep = 0; sweep < SWEEPS; sweep += 1) order(ranked, sweep % 2 === 0);
  const columns = routed ? ranked : wrapped(ranked, ranks);
  return drawn(items, density, { ...SIZES[density], width: nodeWidth }, cells, chains, columns, ranks);
}

/** Return the size of the drawing without laying it out: its exact width, and at least its height. */
export function extentOf(items: readonly Item[], density: Density, nodeWidth: number = SIZES[density].width) {
  const counts: number[] = [];
  for (const rank of rankOf(items).values()) counts[rank] = (counts[rank] ?? 0) + 1;
  const size = SIZES[density];
  const parts = density === "glyph" ? counts.map((count) => Math.ceil(count / TALLEST)) : counts.map(() => 1);
  const columns = parts.reduce((sum, part) => sum + part, 0);
  const tallest = Math.max(1, ...counts.map((count, rank) => Math.ceil(count / parts[rank]!)));
  return {
    width: 2 * EDGE + columns * (nodeWidth + size.columns) - size.columns,
    height: TOP + tallest * (size.height + size.rows) - size.rows + EDGE,
  };
}

/** Return the largest width of nodes with which the drawing is not wider than its frame, within limits. */
export function nodeWidthFor(items: readonly Item[], density: Density, room: number): number {
  const { width } = SIZES[density];
  if (density === "glyph") return width;
  for (let wanted = width; wanted > MIN_WIDTH; wanted -= WIDTH_STEP)
    if (extentOf(items, density, wanted).width <= room) return wanted;
  return MIN_WIDTH;
}

function cell(id: string, rank: number, passes = false): Cell {
  return { id, rank, row: 0, passes, left: [], right: [] };
}

/** Return ranks that put a task right of its dependencies and of every earlier phase. Tasks without dependencies and
 * dependents fill several ranks if one would be too tall: no line has to get past them. */
function rankOf(items: readonly Item[]): Map<string, number> {
  const ranks = new Map<string, number>();
  const byPhase = new Map<number, Item[]>();
  for (const item of items) {
    const group = byPhase.get(item.phase);
    if (group === undefined) byPhase.set(item.phase, [item]);
    else group.push(item);
  }
  const needed = new Set(items.flatMap((item) => item.needs));
  let start = 0;
  for (const phase of [...byPhase.keys()].sort((one, other) => one - other)) {
    const group = byPhase.get(phase)!;
    let last = start;
    let alone = 0;
    for (const item of inOrder(group)) {
      const isAlone = item.needs.length === 0 && !needed.has(item.id);
      const first = isAlone ? start + Math.floor(alone++ / MAX_ALONE) : start;
      const rank = Math.max(first, ...item.needs.map((need) => (ranks.get(need) ?? -1) + 1));
      ranks.set(item.id, rank);
      last = Math.max(last, rank);
    }
    start = last + 1;
  }
  return ranks;
}

function inOrder(group: readonly Item[]): Item[] {
  const members = new Map(group.map((item) => [item.id, item]));
  const waits = new Map(group.map((item) => [item.id, item.needs.filter((need) => members.has(need)).length]));
  const behind = new Map<string, Item[]>();
  for (const item of group)
    for (const need of item.needs) {
      const list = behind.get(need);
      if (list === undefined) behind.set(need, [item]);
      else list.push(item);
    }
  const ready = group.filter((item) => waits.get(item.id) === 0);
  for (let at = 0; at < ready.length; at += 1) {
    for (const next of behind.get(ready[at]!.id) ?? []) {
      const count = (waits.get(next.id) ?? 0) - 1;
      waits.set(next.id, count);
      if (count === 0) ready.push(next);
    }
  }
  return ready.length === group.length ? ready : [...group];
}

/** Return the cells from source to target, with one for every rank in between. */
function chain(cells: Map<string, Cell>, from: string, to: string): Cell[] {
  const source = cells.get(from)!;
  const target = cells.get(to)!;
  const found = [source];
  for (let rank = source.rank + 1; rank < target.rank; rank += 1) found.push(cell(`${from}>${to}@${rank}`, rank, true));
  found.push(target);
  for (let at = 1; at < found.length; at += 1) {
    found[at]!.left.push(found[at - 1]!);
    found[at - 1]!.right.push(found[at]!);
  }
  return found;
}

function columnsOf(cells: readonly Cell[]): Cell[][] {
  const columns: Cell[][] = [];
  for (const each of cells) {
    columns[each.rank] ??= [];
    const column = columns[each.rank]!;
    each.row = column.length;
    column.push(each);
  }
  return columns.map((column) => column ?? []);
}

/** Split a rank of glyphs into several columns if one would be too tall. */
function wrapped(columns: readonly Cell[][], ranks: Map<string, number>): Cell[][] {
  const found: Cell[][] = [];
  for (const column of columns) {
    const parts = Math.max(1, Math.ceil(column.length / TALLEST));
    const rows = Math.ceil(column.length / parts);
    for (let part = 0; part < parts; part += 1) {
      const cells = column.slice(part * rows, (part + 1) * rows);
      for (const each of cells) {
        each.rank = found.length;
        ranks.set(each.id, each.rank);
      }
      found.push(cells);
    }
  }
  return found;
}

/** Move each cell to the middle of its neighbors, from left to right or back. */
function order(columns: Cell[][], forward: boolean): void {
  for (const column of forward ? columns : columns.toReversed()) {
    const wanted = new Map(
      column.map((each) => {
        const ties = forward ? each.left : each.right;
        const middle = ties.reduce((sum, tie) => sum + share(tie, columns), 0) / Math.max(1, ties.length);
        return [each, ties.length > 0 ? middle * column.length : each.row];
      }),
    );
    column.sort((one, other) => wanted.get(one)! - wanted.get(other)! || one.row - other.row);
    for (const [row, each] of column.entries()) each.row = row;
  }
}

function share(tie: Cell, columns: Cell[][]): number {
  return (tie.row + 0.5) / columns[tie.rank]!.length;
}

function drawn(
  items: readonly Item[],
  density: Density,
  size: Size,
  cells: Map<string, Cell>,
  chains: Cell[][],
  columns: Cell[][],
  ranks: Map<string, number>,
): Layout {
  const heights = columns.map((column) => column.reduce((sum, each) => sum + step(each, size), -size.rows));
  const tallest = Math.max(size.height, ...heights);
  const y = new Map<Cell, number>();
  columns.forEach((column, rank) => {
    const free = tallest - heights[rank]!;
    const gap = density === "glyph" ? 0 : Math.min(free / (column.length + 1), size.height * 1.5);
    let top = TOP + (density === "glyph" ? 0 : (free - gap * (column.length - 1)) / 2);
    for (const each of column) {
      y.set(each, top);
      top += step(each, size) + gap;
    }
  });
  const x = (rank: number) => EDGE + rank * (size.width + size.columns);
  const middle = (each: Cell) => y.get(each)! + (each.passes ? size.rows : size.height) / 2;
  const edges = chains.map((found) => ({
    from: found[0]!.id,
    to: found[found.length - 1]!.id,
    points: found.flatMap((each, at): [number, number][] => {
      if (at === 0) return [[x(each.rank) + size.width, middle(each)]];
      if (at === found.length - 1) return [[x(each.rank), middle(each)]];
      return [
        [x(each.rank), middle(each)],
        [x(each.rank) + size.width, middle(each)],
      ];
    }),
  }));
  return {
    density,
    nodeWidth: size.width,
    width: x(columns.length - 1) + size.width + EDGE,
    height: TOP + tallest + EDGE,
    nodes: items.map(({ id }) => ({ id, x: x(cells.get(id)!.rank), y: y.get(cells.get(id)!)! })),
    edges,
    bands: bandsOf(items, ranks, x, size),
  };
}

function step(each: Cell, size: { height: number; rows: number }): number {
  return each.passes ? size.rows : size.height + size.rows;
}

function bandsOf(
  items: readonly Item[],
  ranks: Map<string, number>,
  x: (rank: number) => number,
  size: { width: number; columns: number },
): Band[] {
  const spans = new Map<number, [number, number]>();
  for (const item of items) {
    const rank = ranks.get(item.id)!;
    const [from, to] = spans.get(item.phase) ?? [rank, rank];
    spans.set(item.phase, [Math.min(from, rank), Math.max(to, rank)]);
  }
  return [...spans]
    .sort(([one], [other]) => one - other)
    .map(([phase, [from, to]]) => {
      const left = from === 0 ? 0 : x(from) - size.columns / 2;
      return { phase, x: left, width: x(to) + size.width + size.columns / 2 - left };
    });
}
