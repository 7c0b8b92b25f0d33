// Whether this browser is signed in: true until the server says otherwise. A session needs both a cookie, which the
// browser also sends to other ports of the host, and a key, which only this page can read.
import { useSyncExternalStore } from "react";

const ADDRESS = "/api/session";
const KEY = "mission.session";
const KEY_PROTOCOL = "mission.session.";

/** Why the browser is not signed in, if the server knows: the session ended, or its key is missing. */
export type SessionProblem = "over" | "half" | null;

let signedIn = true;
let problem: SessionProblem = null;
const listeners = new Set<() => void>();

export function setSignedIn(value: boolean, why: SessionProblem = null): void {
  if (signedIn === value && problem === why) return;
  signedIn = value;
  problem = why;
  for (const notify of listeners) notify();
}

export function useSignedIn(): boolean {
  return useSyncExternalStore(watch, () => signedIn);
}

export function useSessionProblem(): SessionProblem {
  return useSyncExternalStore(watch, () => problem);
}

function watch(notify: () => void): () => void {
  listeners.add(notify);
  return () => void listeners.delete(notify);
}

/** Send a request with the session's cookie and key. */
export function signedFetch(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  const key = localStorage.getItem(KEY);
  if (key !== null) headers.set("Mission-Session", key);
  return fetch(path, { credentials: "same-origin", ...init, headers });
}

/** Open a WebSocket with the session's key as a subprotocol, because headers are not possible. */
export function signedSocket(path: string): WebSocket {
  const address = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`;
  const key = localStorage.getItem(KEY);
  return new WebSocket(address, key === null ? ["mission"] : ["mission", KEY_PROTOCOL + key]);
}

/** Record that the server refused the session, and why. */
export function noteRefused(error: { details?: Record<string, unknown> } | undefined): void {
  const why = error?.details?.session;
  setSignedIn(false, why === "over" || why === "half" ? why : null);
}

/** Ask the server whether the session is valid, because a refused socket does not say why. Undefined without an answer. */
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

/** Exchange the one-time code in the address for a session, and return whether it was valid. */
export function openSession(): Promise<boolean> {
  opening ??= exchange();
  return opening;
}

async function exchange(): Promise<boolean> {
  const code = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  const answer = await fetch(`${ADDRESS}/open`, {
    method: "POST",
    credentials: "same-origin",
    headers: { "Mission-Code": code },
  });
  if (!answer.ok) return false;
  const { key } = (await answer.json()) as { key: string };
  localStorage.setItem(KEY, key);
  return true;
}

/** Delete the key after the server has ended the session. */
export function forgetKey(): void {
  localStorage.removeItem(KEY);
}

/** Call back when another tab signs this browser in or out. */
export function watchOtherTabs(onChange: (signedIn: boolean) => void): () => void {
  const changed = (event: StorageEvent) => {
    if (event.key === KEY) onChange(event.newValue !== null);
  };
  window.addEventListener("storage", changed);
  return () => window.removeEventListener("storage", changed);
}
