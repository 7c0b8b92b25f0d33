// The last lines of what a terminal showed, as plain text: for tiles, where no emulator runs.

const ESCAPES =
  // eslint-disable-next-line no-control-regex
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[PX^_][^\u001b]*(?:\u001b\\)?|[ -/]*[0-~])/g;
// eslint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;
const KEPT = 16_384;

/** What was kept before and what came, no longer than needed. */
export function keepTail(before: string, more: string): string {
  return (before + more).slice(-KEPT);
}

/** The last lines that say something. A line that was drawn over shows its last state. */
export function lastLines(text: string, count: number): string[] {
  const lines = text
    .replace(ESCAPES, "")
    .split(/\r?\n/)
    .map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line).split("\r").at(-1)!.replace(CONTROLS, "").trimEnd());
  return lines.filter((line) => line !== "").slice(-count);
}
