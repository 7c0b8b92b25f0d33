// Whether this browser is signed in: true until the server says otherwise.
import { useSyncExternalStore } from "react";

let signedIn = true;
const listeners = new Set<() => void>();

export function setSignedIn(value: boolean): void {
  if (signedIn === value) return;
  signedIn = value;
  for (const tell of listeners) tell();
}

export function useSignedIn(): boolean {
  return useSyncExternalStore(
    (tell) => {
      listeners.add(tell);
      return () => listeners.delete(tell);
    },
    () => signedIn,
  );
}
