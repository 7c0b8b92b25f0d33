// What waits for a person about one task, answered where it is read.
import { useMemo, useRef, useState } from "react";

import { useTool } from "@/api/use-tool";
import { answerKeys } from "@/features/inbox/answering/answer-keys";
import { BLANK, type Draft } from "@/features/inbox/answering/answer-draft";
import { ItemCard } from "@/features/inbox/item-card";
import { useLetters } from "@/features/inbox/answering/outbox";
import { SentLines } from "@/features/inbox/answering/sent-answers";
import { useKeys } from "@/features/shell/keyboard-shortcuts";
import "@/features/inbox/inbox.css";

export function Waiting({ taskId }: { taskId: string }) {
  const items = useTool("queue_list", { task_id: taskId }).data?.items ?? [];
  const letters = useLetters().filter((letter) => letter.item.task_id === taskId);
  const [drafts, setDrafts] = useState<Record<string, Draft>>({});
  const change = (id: string, draft: Draft) => setDrafts((before) => ({ ...before, [id]: draft }));
  const field = useRef<HTMLTextAreaElement>(null);
  const others = useRef<HTMLTextAreaElement>(null);
  const first = items[0];
  const draft = drafts[first?.id ?? ""] ?? BLANK;
  useKeys(useMemo(() => (first === undefined ? {} : answerKeys(first, field, draft, (next) => change(first.id, next))), [first, draft]));
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
            change={(next) => change(item.id, next)}
            choose={() => undefined}
            letter={letters.find((letter) => letter.item.id === item.id)}
            field={item === first ? field : others}
          />
        ))}
      </ul>
    </section>
  );
}
