import { expect, test } from "vitest";

import { filled, given, missing } from "./template-variables";

const variable = (name: string, required: boolean, fallback: string | null) => ({ name, description: "", required, default: fallback });
const TEMPLATE = { variables: [variable("module", true, null), variable("branch", true, "main"), variable("note", false, null)] };

test("only a required variable without a default can be missing, and blanks do not count", () => {
  expect(missing(TEMPLATE, { module: " " })).toEqual(["module"]);
  expect(missing(TEMPLATE, { module: "billing" })).toEqual([]);
});

test("only what was filled in is sent", () => {
  expect(given(TEMPLATE, { module: " billing ", branch: "", other: "x" })).toEqual({ module: "billing" });
});

test("a text shows what was typed, then defaults, and keeps what is not known", () => {
  expect(filled("{{module}} on {{ branch }} with {{other}}", TEMPLATE, { module: "billing" })).toBe("billing on main with {{other}}");
  expect(filled("{{module}}", TEMPLATE, { module: " " })).toBe("{{module}}");
});
