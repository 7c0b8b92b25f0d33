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
  /** All the rest at once. */
  finish: () => void;
  stop: () => void;
}

/** Show each piece when its time comes; `told` hears how far it is, from 0 to 1, which is the end. */
export function play(pieces: Shown[], speed: () => number, show: (text: string) => void, told: (part: number) => void): Playing {
  let next = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const step = () => {
    show(pieces[next]!.text);
    next += 1;
    told(next / pieces.length);
    wait();
  };
  const wait = () => {
    if (next >= pieces.length) return;
    const before = next === 0 ? 0 : pieces[next - 1]!.at;
    timer = setTimeout(step, Math.min(LONGEST_PAUSE, Math.max(0, pieces[next]!.at - before)) / speed());
  };
  const pause = () => clearTimeout(timer);
  wait();
  return {
    pause,
    goOn: wait,
    stop: pause,
    finish: () => {
      pause();
      show(
        pieces
          .slice(next)
          .map((piece) => piece.text)
          .join(""),
      );
      next = pieces.length;
      told(1);
    },
  };
}
