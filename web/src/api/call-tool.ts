// Talks to the daemon: every tool by its name, with the types that the server's models gave it.
import { noteNumber } from "@/live/first-event-number";
import { forgetKey, noteRefused, signedFetch } from "./signed-in";
import type { Tools } from "./types";

export type ToolName = keyof Tools;

/** An error as the server words it: what went wrong, what to do, and a code. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly hint: string | null,
  ) {
    super(message);
  }
}

/** What went wrong and what to do about it, as one text. */
export function reasonOf(error: Error): string {
  const hint = error instanceof ApiError ? error.hint : null;
  if (hint === null) return error.message;
  return `${error.message}${/[.!?…]$/.test(error.message) ? "" : "."} ${hint}`;
}

/** Call a tool; an action gets a key, so that a repeat after a broken connection is harmless. What is sent while the page
 * goes away is `leaving`. */
export async function call<Name extends ToolName>(
  name: Name,
  args: Tools[Name]["args"],
  options: { signal?: AbortSignal; key?: string; leaving?: boolean } = {},
): Promise<Tools[Name]["result"]> {
  const headers: Record<string, string> = { "Content-Type": "application/json", "Mission-Transport": "page" };
  if (options.key !== undefined) headers["Idempotency-Key"] = options.key;
  const answer = await request(`/api/tools/${name}`, {
    method: "POST",
    headers,
    body: JSON.stringify(args),
    signal: options.signal ?? null,
    keepalive: options.leaving ?? false,
  });
  return (await answer.json()) as Tools[Name]["result"];
}

/** Any request to the daemon, with its errors in our words. */
export async function request(path: string, init: RequestInit): Promise<Response> {
  let answer: Response;
  try {
    answer = await signedFetch(path, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ApiError(0, "NOT_CONNECTED", "Mission Control does not answer.", "It may be restarting: this is tried again.");
  }
  if (answer.ok) {
    noteNumber(answer.headers.get("Mission-Event"));
    return answer;
  }
  throw await errorOf(answer);
}

/** End this browser's session, for its other tabs too. */
export async function signOut(): Promise<void> {
  await request("/api/session", { method: "DELETE" });
  forgetKey();
  location.assign("/login");
}

interface ErrorWords {
  code: string;
  message: string;
  hint: string | null;
  details: Record<string, unknown>;
}

async function errorOf(answer: Response): Promise<ApiError> {
  try {
    const { error } = (await answer.json()) as { error: ErrorWords };
    if (answer.status === 401) noteRefused(error);
    return new ApiError(answer.status, error.code, error.message, error.hint);
  } catch {
    return new ApiError(answer.status, `HTTP_${answer.status}`, "Mission Control gave no readable answer.", null);
  }
}
