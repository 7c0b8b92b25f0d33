import { expect, test } from "vitest";

import { definitionOf, definitionsOf, newRow, rowOf } from "./check-rows";

test("a definition survives the form, with the fields that it does not show", () => {
  const check = { name: "tests", run: "make test", seconds: 90, required: false, env: { FAST: "1" }, retries: 1 };

  expect(definitionOf(rowOf(check))).toEqual(check);
});

test("globs are written with commas or spaces", () => {
  const row = { ...newRow(), kind: "changed" as const, text: "docs/**, *.md  src/*" };

  expect(definitionOf(row)).toEqual({ changed: ["docs/**", "*.md", "src/*"] });
});

test("a row that asks for nothing is left out", () => {
  expect(definitionsOf([newRow(), { ...newRow(), text: "make" }])).toEqual([{ run: "make" }]);
});
