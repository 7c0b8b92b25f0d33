// Draws marker lines as words, in an agent's output that may be cut anywhere. All other output stays as it is.
import { drawMarker } from "./marker-words";

const OWNERS = ["system", "repository", "mission", "task", "artifact"];
const PREFIXES = OWNERS.map((owner) => `@${owner}::`);
const MAX_MARKER = 16 * 1024;
const ESC = "\\u001b";
const CODES = `(?:${ESC}\\[[0-9;]*[mK])*`;
const MARKER = new RegExp(`^(${CODES})@(?:${OWNERS.join("|")})::(\\{.*\\})(${CODES}\\s*)$`);
/** The colors at the start of a line, and what follows them: the beginning of a code, or of a prefix. */
const START = new RegExp(`^${CODES}(?:(${ESC}(?:\\[[0-9;]*)?)$|)`);
const ERASE = "\r\u001b[K";
const DEFAULT_COLOR = "\u001b[39m";

export class MarkerLines {
  /** The unfinished line, as long as it may become a marker. */
  private line = "";
  /** How much of it is written already: a few characters that may be anything, such as a typed `@`. */
  private written = 0;
  private isPlain = false;

  constructor(private readonly executionId: string) {}

  /** Return what to show for more output. */
  write(text: string): string {
    return text
      .split(/(?<=\n)/)
      .map((piece) => this.take(piece))
      .join("");
  }

  /** Return what is still held back when the output has ended. */
  end(): string {
    return this.finish("");
  }

  reset(): void {
    this.line = "";
    this.written = 0;
    this.isPlain = false;
  }

  private take(piece: string): string {
    const ends = piece.endsWith("\n");
    if (this.isPlain) {
      this.isPlain = !ends;
      return piece;
    }
    this.line += ends ? piece.slice(0, -1) : piece;
    return ends ? this.finish("\n") : this.unfinished();
  }

  /** Return the line, drawn if it is a marker, and start the next one. */
  private finish(end: string): string {
    const { line, written } = this;
    this.reset();
    const [, before = "", body = "", after = ""] = MARKER.exec(line) ?? [];
    const drawn = body === "" ? null : drawMarker(body, this.executionId);
    if (drawn === null) return line.slice(written) + end;
    return `${written > 0 ? ERASE : ""}${before}\u001b[${drawn.color}m${drawn.text}${DEFAULT_COLOR}${after}${end}`;
  }

  /** Hold back a line that has a marker's prefix; write a shorter one, which is erased if it becomes one. */
  private unfinished(): string {
    const { line, written } = this;
    const [start = "", cut] = START.exec(line) ?? [];
    const rest = line.slice(start.length);
    if (PREFIXES.some((prefix) => rest.startsWith(prefix)) && line.length <= MAX_MARKER) {
      this.written = 0;
      return written > 0 ? ERASE : "";
    }
    const mayBecomeOne = cut !== undefined || PREFIXES.some((prefix) => prefix.startsWith(rest));
    if (!mayBecomeOne) {
      this.reset();
      this.isPlain = true;
    } else this.written = line.length;
    return line.slice(written);
  }
}
