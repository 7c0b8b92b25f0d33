import { expect, test } from "vitest";

import { given, missing } from "./form";

const variable = (name: string, required: boolean, fallback: string | null) => ({ name, description: "", required, default: fallback });
const TEMPLATE = { variables: [variable("module", true, null), variable("branch", true, "main"), variable("note", false, null)] };

test("only a required variable without a default can be missing, and blanks do not count", () => {
  expect(missing(TEMPLATE, { module: " " })).toEqual(["module"]);
  expect(missing(TEMPLATE, { module: "billing" })).toEqual([]);
});

test("only what was filled in is sent", () => {
  expect(given(TEMPLATE, { module: " billing ", branch: "", other: "x" })).toEqual({ module: "billing" });
});
