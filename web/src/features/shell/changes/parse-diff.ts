// Parses a unified diff into lines with their numbers.

export interface PatchLine {
  kind: "hunk" | "same" | "added" | "removed" | "note";
  old: number | null;
  new: number | null;
  text: string;
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$/;

// Texts for header lines of a diff that are worth showing.
const HEAD: [RegExp, (found: RegExpExecArray) => string][] = [
  [/^Binary files /, () => "Binary file changed."],
  [/^rename from (.*)$/, (found) => `Renamed from ${found[1]}`],
  [/^rename to (.*)$/, (found) => `to ${found[1]}`],
  [/^old mode (\d+)$/, (found) => `Mode changed from ${found[1]}`],
  [/^new mode (\d+)$/, (found) => `to ${found[1]}`],
  [/^(?:new|deleted) file mode 120000$/, () => "Symbolic link; the line shows its target."],
];

/** Return the lines of one file's diff, with notes for renames, modes, links and binary files. */
export function parseDiff(patch: string): PatchLine[] {
  const lines: PatchLine[] = [];
  let before = 0;
  let after = 0;
  let inside = false;
  const all = patch.split("\n");
  if (all.at(-1) === "") all.pop();
  for (const line of all) {
    if (line.startsWith("diff --git ")) inside = false;
    const hunk = HUNK.exec(line);
    if (hunk !== null) {
      before = Number(hunk[1]);
      after = Number(hunk[2]);
      inside = true;
      lines.push({ kind: "hunk", old: null, new: null, text: `@@${hunk[3]}` });
    } else if (!inside) {
      for (const [pattern, words] of HEAD) {
        const found = pattern.exec(line);
        if (found !== null) lines.push({ kind: "note", old: null, new: null, text: words(found) });
      }
    } else if (line.startsWith("+")) lines.push({ kind: "added", old: null, new: after++, text: line.slice(1) });
    else if (line.startsWith("-")) lines.push({ kind: "removed", old: before++, new: null, text: line.slice(1) });
    else if (line.startsWith("\\")) lines.push({ kind: "note", old: null, new: null, text: line.slice(2) });
    else lines.push({ kind: "same", old: before++, new: after++, text: line.slice(1) });
  }
  return lines;
}

/** Return whether one file's diff adds, modifies or deletes it. */
export function changeIn(patch: string): "A" | "M" | "D" {
  const head = patch.split(/^@@ /m)[0] ?? "";
  if (/^new file mode /m.test(head)) return "A";
  return /^deleted file mode /m.test(head) ? "D" : "M";
}

export function countLines(lines: readonly PatchLine[]): { added: number; removed: number } {
  return {
    added: lines.filter((line) => line.kind === "added").length,
    removed: lines.filter((line) => line.kind === "removed").length,
  };
}
