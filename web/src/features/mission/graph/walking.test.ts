import { expect, test } from "vitest";

import type { Box } from "./layout/fold-finished";
import { dependents, neighbor } from "./walking";

const box = (id: string, needs: string[]): Box => ({ id, phase: 1, needs, tasks: [], folded: null });
const BOXES = [box("a", []), box("b", []), box("c", ["a", "b"]), box("d", ["b"])];
const NODES = [
  { id: "a", x: 0, y: 0 },
  { id: "b", x: 0, y: 50 },
  { id: "c", x: 100, y: 0 },
  { id: "d", x: 100, y: 50 },
];

function walk(start: string, ...keys: string[]): string {
  const byId = new Map(BOXES.map((each) => [each.id, each]));
  return keys.reduce((at, key) => neighbor(key, at, { nodes: NODES }, byId, dependents(BOXES)) ?? at, start);
}

test("right follows a line to the closest dependent, and left leads back", () => {
  expect(walk("b", "ArrowRight")).toBe("d");
  expect(walk("b", "ArrowRight", "ArrowLeft")).toBe("b");
  expect(walk("a", "ArrowRight")).toBe("c");
});

test("up and down stay in a column, and an arrow that leads nowhere stays", () => {
  expect(walk("a", "ArrowDown")).toBe("b");
  expect(walk("b", "ArrowDown", "ArrowUp", "ArrowUp")).toBe("a");
  expect(walk("d", "ArrowRight")).toBe("d");
});

test("Home and End lead to the first and the last task", () => {
  expect([walk("c", "Home"), walk("a", "End")]).toEqual(["a", "d"]);
});
