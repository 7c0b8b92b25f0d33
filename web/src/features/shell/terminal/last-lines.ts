// The last lines of a terminal with their colors, read from an emulator without a screen.
import { Terminal as Emulator, type IBufferCell, type IBufferLine } from "@xterm/xterm";

/** Text in one color: a name of the palette, an RGB value, or null. */
export interface ColoredText {
  text: string;
  color: string | null;
}

const ROWS = 40;
const COLUMNS = 120;
const NAMES = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

export class LastLines {
  private readonly emulator = new Emulator({ rows: ROWS, cols: COLUMNS, scrollback: 100, convertEol: true });

  reset(): void {
    this.emulator.reset();
  }

  /** Process more output, then call `done`. */
  write(text: string, done: () => void): void {
    this.emulator.write(text, done);
  }

  /** Return the last lines that are not empty. */
  lines(count: number): ColoredText[][] {
    const { active } = this.emulator.buffer;
    const found: ColoredText[][] = [];
    for (let place = active.length - 1; place >= 0 && found.length < count; place -= 1) {
      const line = active.getLine(place);
      if (line !== undefined && line.translateToString(true) !== "") found.unshift(coloredTexts(line));
    }
    return found;
  }

  dispose(): void {
    this.emulator.dispose();
  }
}

function coloredTexts(line: IBufferLine): ColoredText[] {
  const found: ColoredText[] = [];
  const length = line.translateToString(true).length;
  for (
    let column = 0;
    column < line.length && found.reduce((sum, each) => sum + each.text.length, 0) < length;
    column += 1
  ) {
    const cell = line.getCell(column)!;
    if (cell.getWidth() === 0) continue;
    const [text, color] = [cell.getChars() || " ", colorOf(cell)];
    const last = found.at(-1);
    if (last !== undefined && (last.color === color || text === " ")) last.text += text;
    else found.push({ text, color });
  }
  return found;
}

function colorOf(cell: IBufferCell): string | null {
  if (cell.isFgRGB()) return `#${cell.getFgColor().toString(16).padStart(6, "0")}`;
  if (cell.isFgPalette() && cell.getFgColor() < 16) {
    const name = NAMES[cell.getFgColor() % 8]!;
    return name === "black" ? "grey" : name === "white" ? null : name;
  }
  return cell.isDim() ? "grey" : null;
}
