// A field that sends a message to an agent. Enter sends, Shift+Enter starts a new line.
import { type FormEvent, useState } from "react";

import { useAction } from "@/api/use-tool";
import { useOnline } from "@/live/live-connection";
import { ErrorMessage, sendOnEnter } from "@/ui/form";

interface MessageFormProps {
  to: string;
  name: string;
  replyTo?: string;
  taskId?: string;
}

export function MessageForm({ to, name, replyTo, taskId }: MessageFormProps) {
  const send = useAction("message_send");
  const online = useOnline();
  const [text, setText] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const body = text.trim();
    if (body === "" || send.isPending) return;
    send.mutate(
      {
        sender_id: "human",
        recipient_id: to,
        message_type: replyTo !== undefined ? "response" : "notification",
        body,
        ...(replyTo !== undefined ? { reply_to_id: replyTo } : {}),
        ...(taskId !== undefined ? { task_id: taskId } : {}),
      },
      { onSuccess: () => setText("") },
    );
  };
  return (
    <form className="write" onSubmit={submit}>
      <textarea
        className="field"
        rows={1}
        aria-label={`Message to ${name}`}
        placeholder={`Message to ${name}`}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={sendOnEnter}
      />
      <button type="submit" className="button" disabled={!online || send.isPending || text.trim() === ""}>
        Send
      </button>
      <ErrorMessage error={send.error} />
    </form>
  );
}
