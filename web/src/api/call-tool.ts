// Calls the daemon's tools by name, with types generated from the server's models.
import { noteEventNumber } from "@/live/first-event-number";
import { forgetKey, noteRefused, signedFetch } from "./signed-in";
import type { Tools } from "./types";

export type ToolName = keyof Tools;

/** An error from the server: what went wrong, what to do, and a code. */
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

/** Return what went wrong and what to do as one text. */
export function reasonOf(error: Error): string {
  const hint = error instanceof ApiError ? error.hint : null;
  if (hint === null) return error.message;
  return `${error.message}${/[.!?…]$/.test(error.message) ? "" : "."} ${hint}`;
}

/** Call a tool. With a `key`, repeating the call after a broken connection is harmless; `leaving` lets the request
 * outlive the page. */
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

/** Send a request to the daemon, and raise its errors as ApiError. */
export async function request(path: string, init: RequestInit): Promise<Response> {
  let answer: Response;
  try {
    answer = await signedFetch(path, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ApiError(
      0,
      "NOT_CONNECTED",
      "Mission Control is not responding.",
      "It may be restarting; the page keeps retrying.",
    );
  }
  if (answer.ok) {
    noteEventNumber(answer.headers.get("Mission-Event"));
    return answer;
  }
  throw await errorOf(answer);
}

/** End this browser's session, including its other tabs. */
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
    return new ApiError(answer.status, `HTTP_${answer.status}`, "Mission Control sent an invalid response.", null);
  }
}
