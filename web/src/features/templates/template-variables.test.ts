import { expect, test } from "vitest";

import { fillIn, givenVariables, missingVariables } from "./template-variables";

const variable = (name: string, required: boolean, fallback: string | null) => ({
  name,
  description: "",
  required,
  default: fallback,
});
const TEMPLATE = {
  variables: [variable("module", true, null), variable("branch", true, "main"), variable("note", false, null)],
};

test("only a required variable without a default can be missing, and blanks do not count", () => {
  expect(missingVariables(TEMPLATE, { module: " " })).toEqual(["module"]);
  expect(missingVariables(TEMPLATE, { module: "billing" })).toEqual([]);
});

test("only given values are sent", () => {
  expect(givenVariables(TEMPLATE, { module: " billing ", branch: "", other: "x" })).toEqual({ module: "billing" });
});

test("a text is filled with values, then defaults, and keeps unknown variables", () => {
  expect(fillIn("{{module}} on {{ branch }} with {{other}}", TEMPLATE, { module: "billing" })).toBe(
    "billing on main with {{other}}",
  );
  expect(fillIn("{{module}}", TEMPLATE, { module: " " })).toBe("{{module}}");
});
