// Checks as rows of a form. Fields that the form does not show are kept.
import type { CheckRecord } from "@/api/types";

export type Kind = "run" | "changed" | "untouched";
export type Definition = Record<string, unknown>;

export interface Row {
  key: number;
  kind: Kind;
  /** The command, or globs separated by spaces or commas. */
  text: string;
  name: string;
  required: boolean;
  seconds: number;
  /** What the row says about itself, such as who proposed it. */
  note: string;
  /** Every other field of the definition. */
  rest: Definition;
}

const KINDS: readonly Kind[] = ["run", "changed", "untouched"];
const DEFAULT_SECONDS = 600;
let keys = 0;

/** Return an empty row. */
export function newRow(): Row {
  return rowOf({ run: "" });
}

/** Return the row of a definition. */
export function rowOf(definition: Definition, note = ""): Row {
  const kind = KINDS.find((each) => definition[each] !== undefined) ?? "run";
  const asked = definition[kind];
  const { name, required, seconds, run: _run, changed: _changed, untouched: _untouched, ...rest } = definition;
  keys += 1;
  return {
    key: keys,
    kind,
    text: Array.isArray(asked) ? asked.join(", ") : String(asked ?? ""),
    name: typeof name === "string" ? name : "",
    required: required !== false,
    seconds: typeof seconds === "number" ? seconds : DEFAULT_SECONDS,
    note,
    rest,
  };
}

/** Return the definition of a row; null while it asks for nothing. */
export function definitionOf(row: Row): Definition | null {
  const text = row.text.trim();
  if (text === "") return null;
  return {
    ...row.rest,
    ...(row.name.trim() !== "" ? { name: row.name.trim() } : {}),
    [row.kind]: row.kind === "run" ? text : text.split(/[\s,]+/).filter(Boolean),
    ...(row.required ? {} : { required: false }),
    ...(row.seconds !== DEFAULT_SECONDS ? { seconds: row.seconds } : {}),
  };
}

/** Return the rows of the checks that are defined for this scope itself. */
export function rowsOf(checks: readonly CheckRecord[], scope: string): Row[] {
  return checks
    .filter((check) => check.origin === scope)
    .map((check) =>
      rowOf(check.definition, check.approval === "pending" ? "proposed by an agent; saving approves it" : ""),
    );
}

/** Return the definitions of all rows that ask for something. */
export function definitionsOf(rows: readonly Row[]): Definition[] {
  return rows.map(definitionOf).filter((each) => each !== null);
}
