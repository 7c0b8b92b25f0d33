// The drawing of a course of figures over time: lines in a box of given size, and hours to write below it.

/** An SVG path of a line through the values, at equal distances over the width; the highest reaches the top. */
export function lineOf(values: readonly number[], highest: number, width: number, height: number): string {
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  const points = values.map((value, place) => `${round(place * step)} ${round(height - (value / highest) * height)}`);
  return `M${points.join("L")}`;
}

/** The same, closed along the ground. */
export function areaOf(values: readonly number[], highest: number, width: number, height: number): string {
  return `${lineOf(values, highest, width, height)}L${width} ${height}L0 ${height}Z`;
}

export interface Tick {
  /** How far along the way it stands, from 0 to 1. */
  part: number;
  at: number;
}

const HOUR = 3_600_000;
const STEPS = [0.25, 0.5, 1, 2, 3, 4, 6, 12, 24, 48];

/** Round hours of the day between two moments, five at the most. */
export function ticksOf(from: number, to: number): Tick[] {
  const step = STEPS.find((each) => (to - from) / (each * HOUR) <= 5) ?? 48;
  const midnight = new Date(from).setHours(0, 0, 0, 0);
  const found: Tick[] = [];
  for (let at = midnight; at <= to; at += step * HOUR) if (at > from) found.push({ at, part: (at - from) / (to - from) });
  return found;
}

const round = (value: number) => Math.round(value * 10) / 10;
