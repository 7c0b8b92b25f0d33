// The one WebSocket for events. It resumes after the last event it received and reports the state of the connection.

export interface EventFrame {
  seq: number;
  type: string;
  at: string;
  mission_id: string | null;
  data: Record<string, unknown>;
}

export type Connection =
  | { state: "connecting" }
  | { state: "live"; seq: number; caughtUp: number | null }
  | { state: "lost"; seq: number; since: number; retryAt: number };

export interface Listener {
  events: (events: EventFrame[]) => void;
  /** The server no longer has the missed events: everything must be read again. */
  reset: () => void;
  connection: (connection: Connection) => void;
}

const FIRST_WAIT = 500;
const MAX_WAIT = 5_000;
const DRAW_EVERY = 100;
const CAUGHT_UP_SHOWN = 4_000;
const PROBE_PATIENCE = 5_000;
const CONNECT_PATIENCE = 15_000;
const QUIET = 15_000;

export class EventSocket {
  private socket: WebSocket | null = null;
  private seq = 0;
  private connection: Connection = { state: "connecting" };
  private wait = FIRST_WAIT;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private patience: ReturnType<typeof setTimeout> | undefined;
  private lastReceived = 0;
  private waiting: EventFrame[] = [];
  private drawing: ReturnType<typeof setTimeout> | undefined;
  private lastDrawn = -Infinity;
  private missed: { until: number; count: number } | null = null;

  constructor(
    private readonly listener: Listener,
    private readonly open: () => WebSocket,
  ) {}

  /** Connect, and resume after the event with this number. */
  start(seq: number): void {
    this.seq = seq;
    this.connect();
    setInterval(() => {
      if (this.connection.state === "live" && Date.now() - this.lastReceived >= QUIET) this.check();
    }, QUIET);
  }

  /** Retry now. */
  tryNow(): void {
    if (this.connection.state === "lost") {
      this.wait = FIRST_WAIT;
      this.connect();
    }
  }

  /** Send a ping and reconnect if there is no answer: a connection that died during sleep still looks open. */
  check(): void {
    if (this.connection.state === "lost") {
      this.tryNow();
      return;
    }
    if (this.socket === null || this.socket.readyState !== 1 || this.patience !== undefined) return;
    this.socket.send(JSON.stringify({ type: "ping" }));
    this.waitFor(this.socket, PROBE_PATIENCE);
  }

  private connect(): void {
    clearTimeout(this.retry);
    this.leave();
    const socket = this.open();
    this.socket = socket;
    socket.onopen = () => socket.send(JSON.stringify({ type: "subscribe", topic: "global", since: this.seq }));
    socket.onmessage = (message) => {
      if (this.socket === socket) this.receive(JSON.parse(String(message.data)) as Record<string, unknown>);
    };
    socket.onclose = () => this.lose(socket);
    this.waitFor(socket, CONNECT_PATIENCE);
  }

  /** Give the socket up unless something arrives in time. */
  private waitFor(socket: WebSocket, milliseconds: number): void {
    clearTimeout(this.patience);
    this.patience = setTimeout(() => this.lose(socket), milliseconds);
  }

  private receive(frame: Record<string, unknown>): void {
    this.lastReceived = Date.now();
    clearTimeout(this.patience);
    this.patience = undefined;
    if (typeof frame.seq === "number" && "data" in frame) {
      this.take(frame as unknown as EventFrame);
      return;
    }
    if (frame.type === "subscribed") this.subscribed(Number(frame.seq));
    if (frame.type === "reset") {
      this.seq = Number(frame.seq);
      this.waiting = [];
      this.listener.reset();
      this.wait = FIRST_WAIT;
      this.notify({ state: "live", seq: this.seq, caughtUp: null });
    }
  }

  private subscribed(newest: number): void {
    this.wait = FIRST_WAIT;
    const returned = this.connection.state === "lost";
    if (returned) this.missed = { until: newest, count: 0 };
    this.notify({ state: "live", seq: this.seq, caughtUp: null });
    this.noteCaughtUp();
  }

  private take(event: EventFrame): void {
    if (event.seq <= this.seq) return;
    this.seq = event.seq;
    this.waiting.push(event);
    if (this.missed !== null) this.missed.count += 1;
    this.noteCaughtUp();
    this.drawSoon();
  }

  private noteCaughtUp(): void {
    if (this.missed === null || this.seq < this.missed.until) return;
    const { count } = this.missed;
    this.missed = null;
    this.notify({ state: "live", seq: this.seq, caughtUp: count });
    setTimeout(() => {
      if (this.connection.state === "live") this.notify({ ...this.connection, caughtUp: null });
    }, CAUGHT_UP_SHOWN);
  }

  /** Deliver the first event of a burst at once and the rest in batches, at most ten times a second. */
  private drawSoon(): void {
    if (this.drawing !== undefined) return;
    const pause = Math.max(0, this.lastDrawn + DRAW_EVERY - performance.now());
    this.drawing = setTimeout(() => {
      this.drawing = undefined;
      this.lastDrawn = performance.now();
      const events = this.waiting;
      this.waiting = [];
      if (this.connection.state === "live") this.notify({ ...this.connection, seq: this.seq });
      if (events.length > 0) this.listener.events(events);
    }, pause);
  }

  private lose(socket: WebSocket): void {
    if (this.socket !== socket) return;
    this.leave();
    const since = this.connection.state === "lost" ? this.connection.since : Date.now();
    this.notify({ state: "lost", seq: this.seq, since, retryAt: Date.now() + this.wait });
    this.retry = setTimeout(() => this.connect(), this.wait);
    this.wait = Math.min(this.wait * 2, MAX_WAIT);
  }

  private leave(): void {
    clearTimeout(this.patience);
    this.patience = undefined;
    if (this.socket === null) return;
    this.socket.onclose = null;
    this.socket.close();
    this.socket = null;
  }

  private notify(connection: Connection): void {
    this.connection = connection;
    this.listener.connection(connection);
  }
}
