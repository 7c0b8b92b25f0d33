// The page's one connection. Components subscribe here and never open a socket.
import { useEffect, useSyncExternalStore } from "react";

import { askWhetherSignedIn, signedSocket } from "@/api/signed-in";
import { queries } from "@/api/use-tool";
import { type Connection, type EventFrame, EventSocket } from "./event-socket";
import { firstEventNumber } from "./first-event-number";
import { QueryRefresher } from "./query-refresher";

const FADES_IN = 30_000;

class Live {
  private connection: Connection = { state: "connecting" };
  private readonly watchers = new Set<() => void>();
  private readonly readers = new Set<(events: EventFrame[]) => void>();
  private readonly refresher = new QueryRefresher(queries);
  private readonly socket = new EventSocket(
    {
      events: (events) => {
        this.refresher.events(events);
        for (const read of this.readers) read(events);
      },
      reset: () => this.refresher.everything(),
      connection: (connection) => {
        if (connection.state === "lost") void askWhetherSignedIn();
        this.connection = connection;
        for (const notify of this.watchers) notify();
      },
    },
    () => signedSocket("/ws"),
  );

  start(): void {
    void firstEventNumber.then((seq) => this.socket.start(seq));
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
  watch = (notify: () => void) => {
    this.watchers.add(notify);
    return () => void this.watchers.delete(notify);
  };
  read(reader: (events: EventFrame[]) => void): () => void {
    this.readers.add(reader);
    return () => void this.readers.delete(reader);
  }
}

export const live = new Live();

/** Return the state of the connection. */
export function useConnection(): Connection {
  return useSyncExternalStore(live.watch, live.state);
}

/** Return whether actions can be sent; false while the page may be out of date. */
export function useOnline(): boolean {
  return useConnection().state !== "lost";
}

/** Receive events in batches, at most ten times a second. */
export function useEvents(reader: (events: EventFrame[]) => void): void {
  useEffect(() => live.read(reader), [reader]);
}
