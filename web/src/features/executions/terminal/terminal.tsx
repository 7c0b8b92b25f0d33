// A terminal that can be typed into, over the execution's socket, and played again once it ended; dark in both themes.
import { useEffect, useRef, useState } from "react";

import { makeEmulator, type Emulator } from "./emulator";
import { ReplayBar } from "./replay-bar";
import { followTerminal } from "./terminal-socket";

type State = "connecting" | "typing" | "watching" | "lost" | "ended";

const NOTES: Record<State, string> = {
  connecting: "Connecting …",
  typing: "What you type goes to the agent. Shift+Esc leaves the terminal.",
  watching: "This one runs without a terminal: watch it here, and send it messages below.",
  lost: "Not connected: nothing you type would arrive. Trying again …",
  ended: "It has ended. This is what it showed last.",
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
      <div ref={box} className="terminal-box" role="group" aria-label={`Terminal of ${name}`} data-scrolls />
      <div className="terminal-note">
        <p role="status">
          {NOTES[state]} {refused}
        </p>
        {state === "ended" && emulator !== null && <ReplayBar id={id} emulator={emulator} />}
      </div>
    </div>
  );
}

/** Let the emulator show the execution and hear the person; gives what ends that. */
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
  // A program's questions to its terminal stand in what it showed before: they were answered then.
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
