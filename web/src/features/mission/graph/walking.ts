// Where the arrow keys lead in the graph: right and left along the lines, up and down in a column.
import type { Box } from "./layout/fold-finished";
import type { Layout, Placed } from "./layout/layout";

/** Return for each box the boxes that depend on it. */
export function dependents(boxes: readonly Box[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const box of boxes)
    for (const need of box.needs) {
      const list = found.get(need);
      if (list === undefined) found.set(need, [box.id]);
      else list.push(box.id);
    }
  return found;
}

/** Return the node that a key leads to from a node; undefined if it leads nowhere. */
export function neighbor(
  key: string,
  id: string,
  layout: Pick<Layout, "nodes">,
  byId: ReadonlyMap<string, Box>,
  behind: ReadonlyMap<string, string[]>,
): string | undefined {
  const here = layout.nodes.find((node) => node.id === id);
  if (here === undefined) return undefined;
  if (key === "Home") return layout.nodes[0]?.id;
  if (key === "End") return layout.nodes.at(-1)?.id;
  if (key === "ArrowRight") return nearest(here, layout.nodes, behind.get(id) ?? []);
  if (key === "ArrowLeft") return nearest(here, layout.nodes, byId.get(id)?.needs ?? []);
  if (key !== "ArrowUp" && key !== "ArrowDown") return undefined;
  const column = layout.nodes.filter((node) => node.x === here.x).toSorted((one, other) => one.y - other.y);
  return column[column.indexOf(here) + (key === "ArrowDown" ? 1 : -1)]?.id;
}

/** Return which of these nodes is closest in height, so that the way back is the same. */
function nearest(here: Placed, nodes: readonly Placed[], ids: readonly string[]): string | undefined {
  const distance = (node: Placed) => Math.abs(node.y - here.y);
  return nodes
    .filter((node) => ids.includes(node.id))
    .toSorted((one, other) => distance(one) - distance(other))
    .at(0)?.id;
}
