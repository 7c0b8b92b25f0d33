// Whether this browser is signed in: true until the server says otherwise.
import { useSyncExternalStore } from "react";

const ADDRESS = "/api/session";

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

/** Ask the server: a socket that is refused does not say why. Nothing when nobody answers. */
export async function askWhetherSignedIn(): Promise<boolean | undefined> {
  try {
    const answer = await fetch(ADDRESS, { credentials: "same-origin" });
    if (answer.status === 401) setSignedIn(false);
    return answer.ok ? true : answer.status === 401 ? false : undefined;
  } catch {
    return undefined;
  }
}

/** Let this browser forget its session. */
export async function signOut(): Promise<void> {
  await fetch(ADDRESS, { method: "DELETE", credentials: "same-origin" });
  location.assign("/login");
}
