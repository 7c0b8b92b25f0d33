// The text of a message.
import type { MessageRecord } from "@/api/types";

/** Return the body as text: a string as it is, an object's own text, or the object as JSON. */
export function messageText(message: Pick<MessageRecord, "body">): string {
  const { body } = message;
  if (typeof body === "string") return body;
  const text = body.text ?? body.message;
  return typeof text === "string" ? text : JSON.stringify(body, null, 2);
}
