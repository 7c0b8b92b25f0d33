// The server's time, and one tick for everything that counts.
import { useSyncExternalStore } from "react";

let offset = 0;
let moment = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** Learn the server's clock from an answer. */
export function noteServerTime(iso: string): void {
  offset = Date.parse(iso) - Date.now();
}

export function serverNow(): number {
  return Date.now() + offset;
}

function tick(): void {
  moment = Date.now();
  for (const tell of listeners) tell();
}

/** The server's time in milliseconds, again every second. */
export function useNow(): number {
  return (
    useSyncExternalStore(
      (tell) => {
        listeners.add(tell);
        timer ??= setInterval(tick, 1_000);
        return () => {
          listeners.delete(tell);
          if (listeners.size === 0) {
            clearInterval(timer);
            timer = undefined;
          }
        };
      },
      () => moment,
    ) + offset
  );
}
