// The changed files of a mission as a tree, from what ended tasks stored and what differs in running worktrees.
import type { ChangedBy, ChangedPath } from "@/api/types";

export interface FileRow {
  path: string;
  changes: (ChangedBy & { running: boolean })[];
}

/** Return one row for each file; what running tasks changed comes last. */
export function rowsOf(stored: readonly ChangedPath[], running: readonly ChangedPath[]): FileRow[] {
  const files = new Map<string, FileRow>();
  const add = (paths: readonly ChangedPath[], isRunning: boolean) => {
    for (const { path, tasks } of paths) {
      const row = files.get(path) ?? { path, changes: [] };
      row.changes.push(...tasks.map((task) => ({ ...task, running: isRunning })));
      files.set(path, row);
    }
  };
  add(stored, false);
  add(running, true);
  return [...files.values()].sort((one, other) => one.path.localeCompare(other.path));
}

/** Return the files by folder, in order. */
export function foldersOf(rows: readonly FileRow[]): [string, FileRow[]][] {
  const folders = new Map<string, FileRow[]>();
  for (const row of rows) {
    const folder = row.path.includes("/") ? row.path.slice(0, row.path.lastIndexOf("/")) : "";
    folders.set(folder, [...(folders.get(folder) ?? []), row]);
  }
  return [...folders].sort(([one], [other]) => one.localeCompare(other));
}

/** Return the sum of the known lines; unknown if none is known. */
export function sumOf(rows: readonly FileRow[]): { added: number | null; removed: number | null } {
  const known = rows.flatMap((row) => row.changes).filter((change) => change.added !== null && change.removed !== null);
  if (known.length === 0 && rows.length > 0) return { added: null, removed: null };
  return {
    added: known.reduce((sum, change) => sum + change.added!, 0),
    removed: known.reduce((sum, change) => sum + change.removed!, 0),
  };
}
