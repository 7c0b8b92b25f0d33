// The page's one connection: everything that lives listens here; components never open a socket.
import { useEffect, useSyncExternalStore } from "react";

import { queries } from "@/api/use-tool";
import { askWhetherSignedIn, signedSocket } from "@/api/signed-in";
import { firstNumber } from "./first-event-number";
import { Refresher } from "./query-refresher";
import { LiveSocket, type Connection, type EventFrame } from "./event-socket";

const FADES_IN = 30_000;

class Live {
  private connection: Connection = { state: "connecting" };
  private readonly watchers = new Set<() => void>();
  private readonly readers = new Set<(events: EventFrame[]) => void>();
  private readonly refresher = new Refresher(queries);
  private readonly socket = new LiveSocket(
    {
      events: (events) => {
        this.refresher.events(events);
        for (const read of this.readers) read(events);
      },
      reset: () => this.refresher.everything(),
      connection: (connection) => {
        if (connection.state === "lost") void askWhetherSignedIn();
        this.connection = connection;
        for (const tell of this.watchers) tell();
      },
    },
    () => signedSocket("/ws"),
  );

  start(): void {
    void firstNumber.then((seq) => this.socket.start(seq));
    window.addEventListener("online", () => this.socket.check());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState !== "visible") return;
      this.socket.check();
      this.refresher.fading();
    });
    setInterval(() => {
      if (document.visibilityState === "visible" && this.connection.state === "live") this.refresher.fading();
    }, FADES_IN);
  }

  tryNow = () => this.socket.tryNow();
  state = () => this.connection;
  watch = (tell: () => void) => {
    this.watchers.add(tell);
    return () => void this.watchers.delete(tell);
  };
  read(reader: (events: EventFrame[]) => void): () => void {
    this.readers.add(reader);
    return () => void this.readers.delete(reader);
  }
}

export const live = new Live();

/** How the connection stands. */
export function useConnection(): Connection {
  return useSyncExternalStore(live.watch, live.state);
}

/** Whether actions can be sent: off while what is seen may be old. */
export function useOnline(): boolean {
  return useConnection().state !== "lost";
}

/** Get events as they come, drawn together, at most ten times a second. */
export function useEvents(reader: (events: EventFrame[]) => void): void {
  useEffect(() => live.read(reader), [reader]);
}
