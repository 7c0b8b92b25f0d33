// What waits for a person about one task, answered where it is read.
import { useRef, useState } from "react";

import { useTool } from "@/api/queries";
import { BLANK, type Draft } from "@/features/inbox/draft";
import { ItemCard } from "@/features/inbox/item-card";
import { useLetters } from "@/features/inbox/outbox";
import { SentLines } from "@/features/inbox/sent-line";
import "@/features/inbox/inbox.css";

export function Waiting({ taskId }: { taskId: string }) {
  const items = useTool("queue_list", { task_id: taskId }).data?.items ?? [];
  const letters = useLetters().filter((letter) => letter.item.task_id === taskId);
  const [drafts, setDrafts] = useState<Record<string, Draft>>({});
  const field = useRef<HTMLTextAreaElement>(null);
  if (items.length === 0 && letters.length === 0) return null;
  return (
    <section aria-label="Waits for you">
      <SentLines open={items} taskId={taskId} />
      <ul className="items">
        {items.map((item) => (
          <ItemCard
            key={item.id}
            item={item}
            chosen
            draft={drafts[item.id] ?? BLANK}
            change={(draft) => setDrafts((before) => ({ ...before, [item.id]: draft }))}
            choose={() => undefined}
            letter={letters.find((letter) => letter.item.id === item.id)}
            field={field}
          />
        ))}
      </ul>
    </section>
  );
}
