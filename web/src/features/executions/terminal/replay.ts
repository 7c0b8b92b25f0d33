// Plays a transcript again in its own time, with long pauses cut short.

export interface Shown {
  at: number;
  text: string;
}

const LONGEST_PAUSE = 1_500;

/** What an asciicast shows and when, in milliseconds from its start. */
export function readCast(cast: string): Shown[] {
  return cast
    .split("\n")
    .slice(1)
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as [number, string, string])
    .filter(([, kind]) => kind === "o")
    .map(([at, , text]) => ({ at: at * 1_000, text }));
}

export interface Playing {
  pause: () => void;
  goOn: () => void;
  /** Show everything up to a part of it, from 0 to 1, and go on from there unless it is held. */
  seek: (part: number) => void;
}

interface Screen {
  reset: () => void;
  write: (text: string) => void;
}

/** Show each piece when its time comes; `told` hears how far it is, from 0 to 1, which is the end. */
export function play(pieces: Shown[], speed: () => number, screen: Screen, told: (part: number) => void): Playing {
  let next = 0;
  let held = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const step = () => {
    screen.write(pieces[next]!.text);
    next += 1;
    told(next / pieces.length);
    wait();
  };
  const wait = () => {
    if (held || next >= pieces.length) return;
    const before = next === 0 ? 0 : pieces[next - 1]!.at;
    timer = setTimeout(step, Math.min(LONGEST_PAUSE, Math.max(0, pieces[next]!.at - before)) / speed());
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
    goOn: () => hold(false),
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
      told(next / pieces.length);
      wait();
    },
  };
}
