// Replays a transcript at its original speed, with long pauses cut short and markers drawn as words.
import { MarkerLines } from "@/features/shell/terminal/marker-lines";

export interface Shown {
  at: number;
  text: string;
}

const MAX_PAUSE = 1_500;

/** Return the output in the asciicast of an execution, with times in milliseconds from the start. */
export function readCast(cast: string, executionId: string): Shown[] {
  const lines = new MarkerLines(executionId);
  const pieces = cast
    .split("\n")
    .slice(1)
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as [number, string, string])
    .filter(([, kind]) => kind === "o")
    .map(([at, , text]) => ({ at: at * 1_000, text: lines.write(text) }));
  const last = pieces.at(-1);
  if (last !== undefined) last.text += lines.end();
  return pieces;
}

export interface Playing {
  pause: () => void;
  resume: () => void;
  /** Show everything up to a position, from 0 to 1, and continue from there unless paused. */
  seek: (part: number) => void;
}

interface Screen {
  reset: () => void;
  write: (text: string) => void;
}

/** Show each piece at its time; `onProgress` gets the position, from 0 to 1. */
export function play(
  pieces: Shown[],
  speed: () => number,
  screen: Screen,
  onProgress: (part: number) => void,
): Playing {
  let next = 0;
  let held = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const step = () => {
    screen.write(pieces[next]!.text);
    next += 1;
    onProgress(next / pieces.length);
    wait();
  };
  const wait = () => {
    if (held || next >= pieces.length) return;
    const before = next === 0 ? 0 : pieces[next - 1]!.at;
    timer = setTimeout(step, Math.min(MAX_PAUSE, Math.max(0, pieces[next]!.at - before)) / speed());
  };
  const hold = (on: boolean) => {
    clearTimeout(timer);
    held = on;
    wait();
  };
  screen.reset();
  wait();
  return {
    pause: () => hold(true),
    resume: () => hold(false),
    seek: (part) => {
      clearTimeout(timer);
      next = Math.round(part * pieces.length);
      screen.reset();
      screen.write(
        pieces
          .slice(0, next)
          .map((piece) => piece.text)
          .join(""),
      );
      onProgress(next / pieces.length);
      wait();
    },
  };
}
