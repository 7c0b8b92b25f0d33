// The terminal of one execution: what it showed, what it shows, what a person types. Goes on after a broken connection.
import { signedSocket } from "@/api/signed-in";
import type { ExecutionRecord } from "@/api/types";
import { live } from "@/live/live-connection";

export interface TerminalListener {
  /** The terminal is shown from the start again; with `history` the first output is what it showed before. */
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
const LONGEST_WAIT = 5_000;

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

  /** The page lost its connection: this one may be dead too and not know it, so it is made again when the page is back. */
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
    this.wait = Math.min(this.wait * 2, LONGEST_WAIT);
  }
}

/** A terminal's socket that follows the page's own connection; `stop` closes it. */
export function followTerminal(id: string, listener: TerminalListener): { socket: TerminalSocket; stop: () => void } {
  const socket = new TerminalSocket(id, listener);
  const unwatch = live.watch(() => socket.pageConnected(live.state().state === "live"));
  return {
    socket,
    stop: () => {
      unwatch();
      socket.close();
    },
  };
}
