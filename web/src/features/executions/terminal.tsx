// A terminal that shows what an agent's shows, and takes typing where the agent does.
import { FitAddon } from "@xterm/addon-fit";
import { Terminal } from "@xterm/xterm";
import { useEffect, useRef, useState } from "react";
import "@xterm/xterm/css/xterm.css";

import { withStyleSheets } from "./style-sheets";

const RETRY = 2_000;

interface Frame {
  type: "attached" | "output" | "ended" | "error";
  data?: string;
  typing?: boolean;
  message?: string;
}

export function TerminalView({ id }: { id: string }) {
  const place = useRef<HTMLDivElement>(null);
  const [note, setNote] = useState("Connecting …");
  useEffect(() => {
    if (place.current === null) return;
    return attach(place.current, id, setNote);
  }, [id]);
  return (
    <>
      <div ref={place} className="terminal" data-terminal />
      <p className="terminal-note meta" role="status">
        {note}
      </p>
    </>
  );
}

/** Connect, draw, and pass on what is typed until the view is left. */
function attach(place: HTMLElement, id: string, say: (note: string) => void): () => void {
  const terminal = withStyleSheets(
    () =>
      new Terminal({
        convertEol: true,
        scrollback: 5_000,
        fontSize: 12,
        fontFamily: "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace",
        theme: { background: "#12161a", foreground: "#d5dae0" },
        screenReaderMode: true,
      }),
  );
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  withStyleSheets(() => terminal.open(place));
  terminal.attachCustomKeyEventHandler((event) => !leaves(event, terminal));
  let socket: WebSocket | null = null;
  let left = false;
  let over = false;
  const send = (frame: object) => socket?.readyState === WebSocket.OPEN && socket.send(JSON.stringify(frame));
  const resize = () => {
    withStyleSheets(() => fit.fit());
    send({ type: "resize", rows: terminal.rows, columns: terminal.cols });
  };
  const connect = () => {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    socket = new WebSocket(`${scheme}://${location.host}/ws/executions/${id}/terminal`);
    socket.onmessage = (message) => {
      const frame = JSON.parse(String(message.data)) as Frame;
      if (frame.type === "attached") {
        terminal.reset();
        say(frame.typing === true ? "Live. Click to type." : "Read only.");
        if (frame.typing === true) resize();
      } else if (frame.type === "output") terminal.write(frame.data ?? "");
      else if (frame.type === "ended") {
        over = true;
        say("Ended. This is its transcript.");
      } else say(frame.message ?? "");
    };
    socket.onclose = () => {
      if (left || over) return;
      say("Not connected. Trying again …");
      setTimeout(() => !left && connect(), RETRY);
    };
  };
  const typed = terminal.onData((data) => send({ type: "input", data }));
  const watcher = new ResizeObserver(resize);
  watcher.observe(place);
  connect();
  return () => {
    left = true;
    watcher.disconnect();
    typed.dispose();
    socket?.close();
    terminal.dispose();
  };
}

/** Shift+Esc leaves the terminal; Esc alone belongs to the agent. */
function leaves(event: KeyboardEvent, terminal: Terminal): boolean {
  if (event.key !== "Escape" || !event.shiftKey) return false;
  terminal.blur();
  return true;
}
