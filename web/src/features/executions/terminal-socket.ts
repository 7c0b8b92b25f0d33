// The terminal of one execution: what it showed, what it shows, what a person types. Goes on after a broken connection.
import type { ExecutionRecord } from "@/api/types";

export interface TerminalListener {
  /** The terminal is shown from the start again. */
  attached: (typing: boolean) => void;
  output: (text: string) => void;
  ended: (execution: ExecutionRecord) => void;
  refused: (words: string) => void;
  lost: () => void;
}

type Frame =
  | { type: "attached"; typing: boolean }
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

  constructor(
    private readonly id: string,
    private readonly listener: TerminalListener,
    private readonly open: (address: string) => WebSocket = (address) => new WebSocket(address),
  ) {
    this.connect();
  }

  type(data: string): void {
    this.send({ type: "input", data });
  }

  resize(rows: number, columns: number): void {
    this.send({ type: "resize", rows, columns });
  }

  close(): void {
    this.over = true;
    clearTimeout(this.retry);
    this.socket?.close();
  }

  private send(frame: object): void {
    if (this.socket?.readyState === 1) this.socket.send(JSON.stringify(frame));
  }

  private connect(): void {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = this.open(`${scheme}://${location.host}/ws/executions/${encodeURIComponent(this.id)}/terminal`);
    this.socket = socket;
    socket.onmessage = (message) => this.receive(JSON.parse(String(message.data)) as Frame);
    socket.onclose = () => this.closed();
  }

  private receive(frame: Frame): void {
    if (this.over) return;
    if (frame.type === "attached") {
      this.wait = FIRST_WAIT;
      this.listener.attached(frame.typing);
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
