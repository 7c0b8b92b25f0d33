// The terminal of an execution: you can type into it, and replay it once it has ended.
import { useEffect, useRef, useState } from "react";

import { followTerminal } from "@/features/shell/terminal/terminal-socket";
import { type Emulator, makeEmulator } from "./emulator";
import { ReplayBar } from "./replay-bar";

type State = "connecting" | "typing" | "watching" | "lost" | "ended";

const NOTES: Record<State, string> = {
  connecting: "Connecting…",
  typing: "What you type goes to the agent. Press Shift+Esc to leave the terminal.",
  watching: "Not interactive. Watch the output here and send messages below.",
  lost: "Not connected, so you cannot type. Reconnecting…",
  ended: "Ended. This is the last output.",
};

export function Terminal({ id, name }: { id: string; name: string }) {
  const box = useRef<HTMLDivElement>(null);
  const [emulator, setEmulator] = useState<Emulator | null>(null);
  const [state, setState] = useState<State>("connecting");
  const [refused, setRefused] = useState<string | null>(null);
  useEffect(() => {
    const made = makeEmulator(box.current!);
    const leave = connect(made.emulator, id, setState, setRefused);
    setEmulator(made.emulator);
    return () => {
      leave();
      made.drop();
    };
  }, [id]);
  return (
    <div className="terminal" data-state={state}>
      <div ref={box} className="terminal-box" role="group" aria-label={`Terminal for ${name}`} data-scrolls />
      <div className="terminal-note">
        <p role="status">
          {NOTES[state]} {refused}
        </p>
        {state === "ended" && emulator !== null && <ReplayBar id={id} emulator={emulator} />}
      </div>
    </div>
  );
}

/** Connect the emulator to the execution's socket, and return a function that disconnects it. */
function connect(
  emulator: Emulator,
  id: string,
  setState: (state: State) => void,
  setRefused: (words: string | null) => void,
): () => void {
  let replaying = false;
  const takeTyping = (takes: boolean) => {
    emulator.options.disableStdin = !takes;
    emulator.options.cursorBlink = takes;
  };
  const { socket, stop } = followTerminal(id, {
    attached: ({ typing, history }) => {
      emulator.reset();
      replaying = history;
      setRefused(null);
      setState(typing ? "typing" : "watching");
      takeTyping(typing);
      if (typing) socket.resize(emulator.rows, emulator.cols);
    },
    output: (text) => emulator.write(text, () => (replaying = false)),
    ended: () => {
      takeTyping(false);
      setState("ended");
    },
    refused: setRefused,
    lost: () => {
      takeTyping(false);
      setState("lost");
    },
  });
  // Past output may contain queries to the terminal, which must not be answered again.
  emulator.onData((data) => !replaying && socket.type(data));
  emulator.onResize(({ rows, cols }) => socket.resize(rows, cols));
  emulator.attachCustomKeyEventHandler((event) => {
    if (event.type !== "keydown" || event.key !== "Escape" || !event.shiftKey) return true;
    emulator.blur();
    document.getElementById("main")?.focus();
    return false;
  });
  return stop;
}
