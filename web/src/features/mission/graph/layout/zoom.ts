// How much a graph shows of each task and at which scale, so that it fits its frame and stays readable.
import { type Density, extentOf, type Item, nodeWidthFor } from "./layout";

export interface Zoom {
  density: Density;
  scale: number;
}

export interface Room {
  width: number;
  height: number;
}

const DENSITIES: Density[] = ["glyph", "line", "full"];
const STEPS = [0.2, 0.35, 0.5, 0.65, 0.8, 1, 1.25];
/** Below this scale names cannot be read. */
const READABLE = 0.75;
const SMALLEST_FIT = 0.5;
const FULL_TASKS = 40;
const LINE_TASKS = 150;

/** Return the fullest density that a number of tasks allows. */
export function usualDensity(tasks: number): Density {
  return tasks <= FULL_TASKS ? "full" : tasks <= LINE_TASKS ? "line" : "glyph";
}

/** Return the fullest density at which the whole graph fits its frame without becoming tiny. */
export function fittingDensity(items: readonly Item[], room: Room): Density {
  const allowed = DENSITIES.slice(0, DENSITIES.indexOf(usualDensity(items.length)) + 1).toReversed();
  const fits = (density: Density) =>
    scaleToFit(extentOf(items, density, nodeWidthFor(items, density, room.width)), room) >= SMALLEST_FIT;
  return allowed.find(fits) ?? "glyph";
}

/** Return the scale at which all of a drawing is visible. */
export function scaleToFit(drawing: Room, room: Room): number {
  return Math.min(1, room.width / drawing.width, room.height / drawing.height);
}

/** Return the scale of a graph that nobody has zoomed: all of it, or as much of it as can be read. */
export function readableScale(drawing: Room & { density: Density }, room: Room): number {
  const whole = scaleToFit(drawing, room);
  return drawing.density === "glyph" ? whole : Math.max(whole, READABLE);
}

/** Zoom one step: first the scale, then the next density. */
export function nextZoom(now: Zoom, by: 1 | -1): Zoom {
  const scale =
    by > 0 ? STEPS.find((each) => each > now.scale + 0.01) : STEPS.findLast((each) => each < now.scale - 0.01);
  const other = DENSITIES[DENSITIES.indexOf(now.density) + by];
  if (by > 0 && now.scale >= 0.99 && other !== undefined) return { density: other, scale: 0.8 };
  if (by < 0 && now.scale <= 0.51 && other !== undefined) return { density: other, scale: 1 };
  return { density: now.density, scale: scale ?? now.scale };
}
