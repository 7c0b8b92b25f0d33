import { expect, test } from "vitest";

import { flat } from "./flat";

test("nested values become rows", () => {
  expect(flat({ status: "ok", database: { kind: "sqlite", size_bytes: 3 }, problems: [], gone: null })).toEqual([
    ["status", "ok"],
    ["database, kind", "sqlite"],
    ["database, size bytes", "3"],
    ["problems", "none"],
    ["gone", "–"],
  ]);
});
