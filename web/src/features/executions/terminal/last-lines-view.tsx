// The last lines of an execution as they come, while somebody can see them.
import { useEffect, useState } from "react";

import { serverNow } from "@/ui/hooks/use-server-clock";
import { Tail, type Stretch } from "./last-lines";
import { followTerminal } from "./terminal-socket";
import "./last-lines.css";

const LINES = 6;
const DRAW_EVERY = 250;

export interface Tailed {
  lines: Stretch[][];
  /** When it last showed something since it is watched; nothing before. */
  at: number | null;
}

export function useTail(id: string, seen: boolean): Tailed {
  const [shown, show] = useState<Tailed>({ lines: [], at: null });
  useEffect(() => {
    if (!seen) return;
    const tail = new Tail();
    let history = false;
    let at: number | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const draw = () => {
      timer = undefined;
      show({ lines: tail.lines(LINES), at });
    };
    const { stop } = followTerminal(id, {
      attached: (terminal) => {
        tail.reset();
        history = terminal.history;
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
  }, [id, seen]);
  return shown;
}

export function TailLines({ lines }: { lines: Stretch[][] }) {
  return lines.map((line, place) => (
    <span key={place} className="tail-line">
      {line.map(({ text, colour }, index) => (
        <span key={index} {...(colour?.startsWith("#") ? { style: { color: colour } } : { className: colour ?? "" })}>
          {text}
        </span>
      ))}
      {"\n"}
    </span>
  ));
}
