// The WebSocket of one execution's terminal: past and new output, and what you type. It reconnects by itself.
import { signedSocket } from "@/api/signed-in";
import type { ExecutionRecord } from "@/api/types";
import { live } from "@/live/live-connection";
import { MarkerLines } from "./marker-lines";

export interface TerminalListener {
  /** The output starts from the beginning; with `history`, the first output is past output. */
  attached: (terminal: { typing: boolean; history: boolean }) => void;
  output: (text: string) => void;
  ended: (execution: ExecutionRecord) => void;
  refused: (words: string) => void;
  lost: () => void;
}

type Frame =
  | { type: "attached"; typing: boolean; history: boolean }
  | { type: "output"; data: string }
  | { type: "error"; message: string; hint: string | null }
  | { type: "ended"; execution: ExecutionRecord };

const FIRST_WAIT = 500;
const MAX_WAIT = 5_000;

export class TerminalSocket {
  private socket: WebSocket | null = null;
  private wait = FIRST_WAIT;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private over = false;
  private doubtful = false;

  constructor(
    private readonly id: string,
    private readonly listener: TerminalListener,
    private readonly open: (path: string) => WebSocket = signedSocket,
  ) {
    this.connect();
  }

  type(data: string): void {
    this.send({ type: "input", data });
  }

  resize(rows: number, columns: number): void {
    this.send({ type: "resize", rows, columns });
  }

  /** Reconnect when the page is back online: if its connection broke, this one may be dead too. */
  pageConnected(connected: boolean): void {
    if (!connected) this.doubtful = true;
    else if (this.doubtful && !this.over) this.connect();
  }

  close(): void {
    this.over = true;
    this.leave();
  }

  private send(frame: object): void {
    if (this.socket?.readyState === 1) this.socket.send(JSON.stringify(frame));
  }

  private connect(): void {
    this.leave();
    const socket = this.open(`/ws/executions/${encodeURIComponent(this.id)}/terminal`);
    this.socket = socket;
    socket.onmessage = (message) => this.receive(JSON.parse(String(message.data)) as Frame);
    socket.onclose = () => this.closed();
  }

  private leave(): void {
    clearTimeout(this.retry);
    if (this.socket === null) return;
    this.socket.onmessage = null;
    this.socket.onclose = null;
    this.socket.close();
    this.socket = null;
  }

  private receive(frame: Frame): void {
    if (frame.type === "attached") {
      this.wait = FIRST_WAIT;
      this.doubtful = false;
      this.listener.attached(frame);
    } else if (frame.type === "output") this.listener.output(frame.data);
    else if (frame.type === "error") this.listener.refused([frame.message, frame.hint].filter(Boolean).join(" "));
    else if (frame.type === "ended") {
      this.over = true;
      this.listener.ended(frame.execution);
    }
  }

  private closed(): void {
    if (this.over) return;
    this.listener.lost();
    this.retry = setTimeout(() => this.connect(), this.wait);
    this.wait = Math.min(this.wait * 2, MAX_WAIT);
  }
}

/** Return a listener whose output has markers drawn as words. */
function drawingMarkers(id: string, listener: TerminalListener): TerminalListener {
  const lines = new MarkerLines(id);
  return {
    ...listener,
    attached: (terminal) => {
      lines.reset();
      listener.attached(terminal);
    },
    output: (text) => listener.output(lines.write(text)),
    ended: (execution) => {
      const rest = lines.end();
      if (rest !== "") listener.output(rest);
      listener.ended(execution);
    },
  };
}

/** Open a terminal's socket that follows the page's own connection; `stop` closes it. */
export function followTerminal(id: string, listener: TerminalListener): { socket: TerminalSocket; stop: () => void } {
  const socket = new TerminalSocket(id, drawingMarkers(id, listener));
  const unwatch = live.watch(() => socket.pageConnected(live.state().state === "live"));
  return {
    socket,
    stop: () => {
      unwatch();
      socket.close();
    },
  };
}
