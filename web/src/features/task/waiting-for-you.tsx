// The inbox items of one task.
import { useMemo, useRef, useState } from "react";

import { useTool } from "@/api/use-tool";
import { BLANK, type Draft } from "@/features/shell/answering/answer-draft";
import { answerKeys } from "@/features/shell/answering/answer-keys";
import { ItemCard } from "@/features/shell/answering/item-card";
import { useOutgoingAnswers } from "@/features/shell/answering/outbox";
import { SentLines } from "@/features/shell/answering/sent-answers";
import { useKeys } from "@/features/shell/keyboard/keyboard-shortcuts";

export function WaitingForYou({ taskId }: { taskId: string }) {
  const items = useTool("queue_list", { task_id: taskId }).data?.items ?? [];
  const outgoingAnswers = useOutgoingAnswers().filter((outgoing) => outgoing.item.task_id === taskId);
  const [drafts, setDrafts] = useState<Record<string, Draft>>({});
  const change = (id: string, draft: Draft) => setDrafts((before) => ({ ...before, [id]: draft }));
  const field = useRef<HTMLTextAreaElement>(null);
  const others = useRef<HTMLTextAreaElement>(null);
  const first = items[0];
  const draft = drafts[first?.id ?? ""] ?? BLANK;
  useKeys(
    useMemo(
      () =>
        first === undefined
          ? {}
          : answerKeys(first, field, draft, (next) => setDrafts((before) => ({ ...before, [first.id]: next }))),
      [first, draft],
    ),
  );
  if (items.length === 0 && outgoingAnswers.length === 0) return null;
  return (
    <section aria-label="Waiting for you">
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
            outgoing={outgoingAnswers.find((outgoing) => outgoing.item.id === item.id)}
            field={item === first ? field : others}
          />
        ))}
      </ul>
    </section>
  );
}
