import { expect, test } from "vitest";

import { extentOf, type Item, layout, nodeWidthFor } from "./layout";
import { fittingDensity, nextZoom, readableScale, scaleToFit, type Zoom } from "./zoom";

const ROOM = { width: 900, height: 640 };

/** Return phases of tasks that each depend on two of the phase before. */
function plan(phases: number, each: number): Item[] {
  const found: Item[] = [];
  for (let phase = 1; phase <= phases; phase += 1)
    for (let at = 0; at < each; at += 1) {
      const needs = phase === 1 ? [] : [`${phase - 1}.${at}`, `${phase - 1}.${(at + 1) % each}`];
      found.push({ id: `${phase}.${at}`, phase, needs });
    }
  return found;
}

for (const [phases, each] of [
  [2, 3],
  [8, 8],
  [10, 50],
  [60, 8],
] as const)
  test(`a graph of ${phases * each} tasks in ${phases} phases fits its frame in both directions`, () => {
    const items = plan(phases, each);
    const density = fittingDensity(items, ROOM);
    const drawn = layout(items, density, nodeWidthFor(items, density, ROOM.width));
    const scale = scaleToFit(drawn, ROOM);

    expect(drawn.width * scale).toBeLessThanOrEqual(ROOM.width + 0.001);
    expect(drawn.height * scale).toBeLessThanOrEqual(ROOM.height + 0.001);
  });

test("the width is known before the layout, so that the density can be chosen", () => {
  for (const density of ["full", "line", "glyph"] as const)
    expect(extentOf(plan(8, 8), density).width).toBe(layout(plan(8, 8), density).width);
});

test("nodes are as wide as the frame allows, within limits", () => {
  expect([2, 6, 30].map((phases) => nodeWidthFor(plan(phases, 2), "full", ROOM.width))).toEqual([160, 128, 128]);
});

test("a graph that nobody has zoomed is shown whole, unless its names could not be read then", () => {
  const drawing = (width: number, height: number, density: "full" | "glyph") => ({ width, height, density });

  expect(readableScale(drawing(1_000, 800, "full"), ROOM)).toBe(0.8);
  expect(readableScale(drawing(900, 3_000, "full"), ROOM)).toBe(0.75);
  expect(readableScale(drawing(1_800, 600, "glyph"), ROOM)).toBe(0.5);
});

test("zooming out goes down to the smallest glyphs, and back in to full nodes", () => {
  let zoom: Zoom = { density: "full", scale: 1 };
  for (let step = 0; step < 20; step += 1) zoom = nextZoom(zoom, -1);
  expect(zoom).toEqual({ density: "glyph", scale: 0.2 });

  for (let step = 0; step < 30; step += 1) zoom = nextZoom(zoom, 1);
  expect(zoom).toEqual({ density: "full", scale: 1.25 });
});
