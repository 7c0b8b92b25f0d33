// Computes a line chart over time: SVG paths in a box of a given size, and the hours below it.

/** Return the SVG path of a line through the values, evenly spaced over the width; `highest` is at the top. */
export function lineOf(values: readonly number[], highest: number, width: number, height: number): string {
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  const points = values.map((value, place) => `${round(place * step)} ${round(height - (value / highest) * height)}`);
  return `M${points.join("L")}`;
}

/** Return the same line closed along the bottom. */
export function areaOf(values: readonly number[], highest: number, width: number, height: number): string {
  return `${lineOf(values, highest, width, height)}L${width} ${height}L0 ${height}Z`;
}

export interface Tick {
  /** Its position, from 0 to 1. */
  part: number;
  at: number;
}

const HOUR = 3_600_000;
const STEPS = [0.25, 0.5, 1, 2, 3, 4, 6, 12, 24, 48];

/** Return at most five round hours between two times. */
export function ticksOf(from: number, to: number): Tick[] {
  const step = STEPS.find((each) => (to - from) / (each * HOUR) <= 5) ?? 48;
  const midnight = new Date(from).setHours(0, 0, 0, 0);
  const found: Tick[] = [];
  for (let at = midnight; at <= to; at += step * HOUR)
    if (at > from) found.push({ at, part: (at - from) / (to - from) });
  return found;
}

const round = (value: number) => Math.round(value * 10) / 10;
