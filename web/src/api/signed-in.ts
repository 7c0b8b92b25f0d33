// Whether this browser is signed in: true until the server says otherwise. A session is a cookie, which the browser also
// sends to every other port of the host, and a key, which it keeps for this page alone: neither opens anything by itself.
import { useSyncExternalStore } from "react";

const ADDRESS = "/api/session";
const KEY = "mission.session";
const KEY_PROTOCOL = "mission.session.";

/** Why nobody is signed in, as far as the server can tell: the session ended, or has no key beside its cookie. */
export type Missing = "over" | "half" | null;

let signedIn = true;
let missing: Missing = null;
const listeners = new Set<() => void>();

export function setSignedIn(value: boolean, why: Missing = null): void {
  if (signedIn === value && missing === why) return;
  signedIn = value;
  missing = why;
  for (const tell of listeners) tell();
}

export function useSignedIn(): boolean {
  return useSyncExternalStore(watch, () => signedIn);
}

export function useMissing(): Missing {
  return useSyncExternalStore(watch, () => missing);
}

function watch(tell: () => void): () => void {
  listeners.add(tell);
  return () => void listeners.delete(tell);
}

/** Whatever is asked of the daemon is asked with the session's two halves. */
export function signedFetch(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  const key = localStorage.getItem(KEY);
  if (key !== null) headers.set("Mission-Session", key);
  return fetch(path, { credentials: "same-origin", ...init, headers });
}

/** A WebSocket cannot be given headers, so the key goes among its subprotocols. */
export function signedSocket(path: string): WebSocket {
  const address = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`;
  const key = localStorage.getItem(KEY);
  return new WebSocket(address, key === null ? ["mission"] : ["mission", KEY_PROTOCOL + key]);
}

/** The server says that nobody is signed in: remember why. */
export function noteRefused(error: { details?: Record<string, unknown> } | undefined): void {
  const why = error?.details?.["session"];
  setSignedIn(false, why === "over" || why === "half" ? why : null);
}

/** Ask the server: a socket that is refused does not say why. Nothing when nobody answers. */
export async function askWhetherSignedIn(): Promise<boolean | undefined> {
  try {
    const answer = await signedFetch(ADDRESS);
    if (answer.ok) return true;
    if (answer.status !== 401) return undefined;
    noteRefused(((await answer.json()) as { error?: { details?: Record<string, unknown> } }).error);
    return false;
  } catch {
    return undefined;
  }
}

let opening: Promise<boolean> | undefined;

/** Exchange the one-time code in the address for a session; whether it was good. The code leaves the address at once. */
export function openSession(): Promise<boolean> {
  return (opening ??= exchange());
}

async function exchange(): Promise<boolean> {
  const code = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  const answer = await fetch(`${ADDRESS}/open`, { method: "POST", credentials: "same-origin", headers: { "Mission-Code": code } });
  if (!answer.ok) return false;
  const { key } = (await answer.json()) as { key: string };
  localStorage.setItem(KEY, key);
  return true;
}

/** Forget the key, once the server has ended the session. */
export function forgetKey(): void {
  localStorage.removeItem(KEY);
}

/** Hear when another tab signs this browser in or out. */
export function watchOtherTabs(told: (signedIn: boolean) => void): () => void {
  const changed = (event: StorageEvent) => {
    if (event.key === KEY) told(event.newValue !== null);
  };
  window.addEventListener("storage", changed);
  return () => window.removeEventListener("storage", changed);
}
