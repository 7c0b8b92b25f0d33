// The last lines of what a terminal shows, in its colours: an emulator without a screen, for tiles.
import { Terminal as Emulator, type IBufferCell, type IBufferLine } from "@xterm/xterm";

/** A stretch of one colour: a name of the palette, a colour in numbers, or none. */
export interface Stretch {
  text: string;
  colour: string | null;
}

const ROWS = 40;
const COLUMNS = 120;
const NAMES = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

export class Tail {
  private readonly emulator = new Emulator({ rows: ROWS, cols: COLUMNS, scrollback: 100, convertEol: true });

  reset(): void {
    this.emulator.reset();
  }

  /** Take more of the output; `done` is called once it is read. */
  write(text: string, done: () => void): void {
    this.emulator.write(text, done);
  }

  /** The last lines that say something. */
  lines(count: number): Stretch[][] {
    const { active } = this.emulator.buffer;
    const found: Stretch[][] = [];
    for (let place = active.length - 1; place >= 0 && found.length < count; place -= 1) {
      const line = active.getLine(place);
      if (line !== undefined && line.translateToString(true) !== "") found.unshift(stretches(line));
    }
    return found;
  }

  dispose(): void {
    this.emulator.dispose();
  }
}

function stretches(line: IBufferLine): Stretch[] {
  const found: Stretch[] = [];
  const length = line.translateToString(true).length;
  for (let column = 0; column < line.length && found.reduce((sum, each) => sum + each.text.length, 0) < length; column += 1) {
    const cell = line.getCell(column)!;
    if (cell.getWidth() === 0) continue;
    const [text, colour] = [cell.getChars() || " ", colourOf(cell)];
    const last = found.at(-1);
    if (last !== undefined && (last.colour === colour || text === " ")) last.text += text;
    else found.push({ text, colour });
  }
  return found;
}

function colourOf(cell: IBufferCell): string | null {
  if (cell.isFgRGB()) return `#${cell.getFgColor().toString(16).padStart(6, "0")}`;
  if (cell.isFgPalette() && cell.getFgColor() < 16) {
    const name = NAMES[cell.getFgColor() % 8]!;
    return name === "black" ? "grey" : name === "white" ? null : name;
  }
  return cell.isDim() ? "grey" : null;
}
