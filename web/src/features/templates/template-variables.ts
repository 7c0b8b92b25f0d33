// The variables of a template: which are missing, which are given, and texts with their values.
import type { TemplateSummary } from "@/api/types";

type Values = Record<string, string>;

/** Return the names of required variables without a value or a default. */
export function missingVariables(template: Pick<TemplateSummary, "variables">, values: Values): string[] {
  return template.variables
    .filter((each) => each.required && each.default === null && (values[each.name] ?? "").trim() === "")
    .map((each) => each.name);
}

/** Return the given values; the server fills in defaults for the rest. */
export function givenVariables(template: Pick<TemplateSummary, "variables">, values: Values): Values {
  return Object.fromEntries(
    template.variables.flatMap((each) => {
      const value = (values[each.name] ?? "").trim();
      return value === "" ? [] : [[each.name, value]];
    }),
  );
}

/** Fill values into a text of the template; unknown variables keep their braces. */
export function fillIn(text: string, template: Pick<TemplateSummary, "variables">, values: Values): string {
  return text.replaceAll(/\{\{\s*(\w+)\s*\}\}/g, (whole, name: string) => {
    const variable = template.variables.find((each) => each.name === name);
    return (values[name] ?? "").trim() || (variable?.default ?? whole);
  });
}
