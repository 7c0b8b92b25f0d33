// The server's time, and one timer for everything that counts seconds.
import { useSyncExternalStore } from "react";

let offset = 0;
let moment = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** Set the clock to the server's time. */
export function noteServerTime(iso: string): void {
  offset = Date.parse(iso) - Date.now();
}

export function serverNow(): number {
  return Date.now() + offset;
}

function tick(): void {
  moment = Date.now();
  for (const notify of listeners) notify();
}

// One function for all renders: with a new one, React would subscribe again after each render. Where only one component
// counts, that would set the clock each time, which causes the next render, until React gives up.
function watch(notify: () => void): () => void {
  listeners.add(notify);
  if (timer === undefined) moment = Date.now(); // nobody was listening, so it is out of date
  timer ??= setInterval(tick, 1_000);
  return () => {
    listeners.delete(notify);
    if (listeners.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}

/** Return the server's time in milliseconds, updated every second. */
export function useNow(): number {
  return useSyncExternalStore(watch, () => moment) + offset;
}
