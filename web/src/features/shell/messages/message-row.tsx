// One message: who wrote it, when, and its text.
import type { MessageRecord } from "@/api/types";
import { Time } from "@/ui/basics";
import { ExpandableText } from "@/ui/expandable-text";
import { messageText } from "./message-text";

export function MessageRow({ message }: { message: MessageRecord }) {
  return (
    <li className="letter">
      <span>
        <strong>{message.sender_id === "human" ? "You" : message.sender_name}</strong>{" "}
        <span className="meta">
          <Time at={message.created_at} />
        </span>
      </span>
      <p>
        <ExpandableText text={messageText(message)} maxLength={2_000} />
      </p>
    </li>
  );
}
