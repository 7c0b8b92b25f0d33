// The entries that were opened last, kept in this browser.
import type { IconName } from "@/ui/icons";
import type { Entry } from "./entry";

const KEY = "mission.palette.recent";
const MAX = 8;

/** What is kept of an entry: states change, names and addresses hardly do. */
type Kept = Required<Pick<Entry, "id" | "name" | "kind" | "to">> & { detail?: string };
const ICONS: Record<string, IconName> = {
  mission: "missions",
  task: "missions",
  agent: "agents",
  run: "runs",
  execution: "executions",
};

export function recentEntries(): Entry[] {
  return stored().map((kept) => ({ ...kept, icon: ICONS[kept.kind] ?? "chevron" }));
}

/** Remember an entry that has an address. */
export function remember({ id, name, detail, kind, to }: Entry): void {
  if (to === undefined || !(kind in ICONS)) return;
  const kept: Kept = { id, name, kind, to, ...(detail === undefined ? {} : { detail }) };
  localStorage.setItem(KEY, JSON.stringify([kept, ...stored().filter((each) => each.id !== id)].slice(0, MAX)));
}

function stored(): Kept[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(found) ? found.filter(isKept) : [];
  } catch {
    return [];
  }
}

function isKept(value: unknown): value is Kept {
  const kept = value as Partial<Record<keyof Kept, unknown>> | null;
  return [kept?.id, kept?.name, kept?.kind, kept?.to].every((each) => typeof each === "string");
}
