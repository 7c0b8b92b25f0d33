// The last lines of an execution, live while they are visible.
import { useEffect, useState } from "react";

import { serverNow } from "@/ui/hooks/use-server-clock";
import { type ColoredText, LastLines } from "./last-lines";
import { followTerminal } from "./terminal-socket";
import "./last-lines.css";

const LINES = 6;
const NO_OUTPUT: ColoredText[][] = [[{ text: "No output", color: "grey" }]];
const DRAW_EVERY = 250;

export interface ShownLines {
  lines: ColoredText[][];
  /** When it last wrote something while being watched; null before that. */
  at: number | null;
  /** False until it is known what its terminal shows. */
  loaded: boolean;
}

export function useLastLines(id: string, seen: boolean, count = LINES): ShownLines {
  const [shown, show] = useState<ShownLines>({ lines: [], at: null, loaded: false });
  useEffect(() => {
    if (!seen) return;
    const tail = new LastLines();
    let history = false;
    let at: number | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const draw = () => {
      timer = undefined;
      show({ lines: tail.lines(count), at, loaded: true });
    };
    const { stop } = followTerminal(id, {
      attached: (terminal) => {
        tail.reset();
        history = terminal.history;
        if (!history) show({ lines: NO_OUTPUT, at, loaded: true });
      },
      output: (text) => {
        if (!history) at = serverNow();
        history = false;
        tail.write(text, () => (timer ??= setTimeout(draw, DRAW_EVERY)));
      },
      ended: () => undefined,
      refused: () => undefined,
      lost: () => undefined,
    });
    return () => {
      clearTimeout(timer);
      stop();
      tail.dispose();
    };
  }, [id, seen, count]);
  return shown;
}

/** Show the lines; gray bars until they are loaded. */
export function LastLinesView({ lines, loaded = true }: { lines: ColoredText[][]; loaded?: boolean }) {
  if (!loaded) return <span className="tail-skeleton" />;
  return lines.map((line, place) => (
    <span key={place} className="tail-line">
      {line.map(({ text, color }, index) => (
        <span key={index} {...(color?.startsWith("#") ? { style: { color: color } } : { className: color ?? "" })}>
          {text}
        </span>
      ))}
      {"\n"}
    </span>
  ));
}
