// What a template's form has, and what it still lacks.
import type { TemplateSummary } from "@/api/types";

type Values = Record<string, string>;

/** Names of required variables that have neither a value nor a default. */
export function missing(template: Pick<TemplateSummary, "variables">, values: Values): string[] {
  return template.variables
    .filter((each) => each.required && each.default === null && (values[each.name] ?? "").trim() === "")
    .map((each) => each.name);
}

/** The values that were given; the server fills in defaults for the rest. */
export function given(template: Pick<TemplateSummary, "variables">, values: Values): Values {
  return Object.fromEntries(
    template.variables.flatMap((each) => {
      const value = (values[each.name] ?? "").trim();
      return value === "" ? [] : [[each.name, value]];
    }),
  );
}

/** A text of the template as it will read; what is not known yet keeps its braces. */
export function filled(text: string, template: Pick<TemplateSummary, "variables">, values: Values): string {
  return text.replaceAll(/\{\{\s*(\w+)\s*\}\}/g, (whole, name: string) => {
    const variable = template.variables.find((each) => each.name === name);
    return (values[name] ?? "").trim() || (variable?.default ?? whole);
  });
}
