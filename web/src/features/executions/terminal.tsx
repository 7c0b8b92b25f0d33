// A terminal that can be typed into, over the execution's socket; dark in both themes.
import { FitAddon } from "@xterm/addon-fit";
import { Terminal as Emulator } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";
import { useEffect, useRef, useState } from "react";

import { openWithoutInlineStyles } from "./emulator-styles";
import { TerminalSocket } from "./terminal-socket";

interface TerminalProps {
  id: string;
  name: string;
}

export function Terminal({ id, name }: TerminalProps) {
  const box = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<"connecting" | "typing" | "watching" | "lost" | "ended">("connecting");
  const [refused, setRefused] = useState<string | null>(null);
  useEffect(() => {
    const { emulator, fit, drop } = makeEmulator(box.current!);
    const socket = new TerminalSocket(id, {
      attached: (typing) => {
        emulator.reset();
        setState(typing ? "typing" : "watching");
        emulator.options.disableStdin = !typing;
        emulator.options.cursorBlink = typing;
        if (typing) socket.resize(emulator.rows, emulator.cols);
      },
      output: (text) => emulator.write(text),
      ended: () => {
        emulator.options.disableStdin = true;
        setState("ended");
      },
      refused: setRefused,
      lost: () => setState("lost"),
    });
    const typed = emulator.onData((data) => socket.type(data));
    const sized = emulator.onResize(({ rows, cols }) => socket.resize(rows, cols));
    emulator.attachCustomKeyEventHandler((event) => {
      if (event.type !== "keydown" || event.key !== "Escape" || !event.shiftKey) return true;
      emulator.blur();
      document.getElementById("main")?.focus();
      return false;
    });
    const watch = new ResizeObserver(() => fit());
    watch.observe(box.current!);
    return () => {
      watch.disconnect();
      typed.dispose();
      sized.dispose();
      socket.close();
      drop();
    };
  }, [id]);
  return (
    <div className="terminal" data-state={state}>
      <div ref={box} className="terminal-box" role="group" aria-label={`Terminal of ${name}`} data-scrolls />
      <p className="terminal-note" role="status">
        {NOTES[state]} {refused}
      </p>
    </div>
  );
}

const NOTES = {
  connecting: "Connecting …",
  typing: "What you type goes to the agent. Shift+Esc leaves the terminal.",
  watching: "This one runs without a terminal: watch it here, and send it messages below.",
  lost: "Not connected. Trying again …",
  ended: "It has ended. This is what it showed.",
};

function makeEmulator(box: HTMLElement) {
  const style = getComputedStyle(box);
  const emulator = new Emulator({
    fontFamily: style.getPropertyValue("--mono"),
    fontSize: 12,
    scrollback: 10_000,
    convertEol: true,
    screenReaderMode: true,
    theme: { background: resolved(box, "--term-bg"), foreground: "#d5dae0" },
  });
  const fitting = new FitAddon();
  emulator.loadAddon(fitting);
  const dropStyles = openWithoutInlineStyles(emulator, box);
  const fit = () => {
    if (box.clientWidth > 0 && box.clientHeight > 0) fitting.fit();
  };
  fit();
  return {
    emulator,
    fit,
    drop: () => {
      emulator.dispose();
      dropStyles();
    },
  };
}

/** A colour as the browser computes it: the emulator cannot read light-dark(). */
function resolved(box: HTMLElement, name: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  box.append(probe);
  const [red, green, blue] = (getComputedStyle(probe).color.match(/\d+/g) ?? ["18", "22", "26"]).map(Number);
  probe.remove();
  return `#${[red, green, blue].map((part) => (part ?? 0).toString(16).padStart(2, "0")).join("")}`;
}
