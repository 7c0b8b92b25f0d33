// Open inbox items of one thing as cards that can be answered in place.
import { useMemo, useRef, useState } from "react";

import type { ItemRow } from "@/api/types";
import { useKeys } from "../keyboard/keyboard-shortcuts";
import { BLANK, type Draft } from "./answer-draft";
import { answerKeys } from "./answer-keys";
import { ItemCard } from "./item-card";
import { useOutgoingAnswers } from "./outbox";
import { SentLines } from "./sent-answers";

interface ItemCardsProps {
  label: string;
  items: readonly ItemRow[];
  /** Whether an item belongs here; answers that were just sent are shown by it. */
  among: (item: ItemRow) => boolean;
  withReview?: boolean;
  /** Opens an item elsewhere; null for one that is answered here. */
  elsewhere?: (item: ItemRow) => (() => void) | null;
}

export function ItemCards({ label, items, among, withReview = true, elsewhere = () => null }: ItemCardsProps) {
  const outgoingAnswers = useOutgoingAnswers().filter((outgoing) => among(outgoing.item));
  const [drafts, setDrafts] = useState<Record<string, Draft>>({});
  const change = (id: string, draft: Draft) => setDrafts((before) => ({ ...before, [id]: draft }));
  const field = useRef<HTMLTextAreaElement>(null);
  const others = useRef<HTMLTextAreaElement>(null);
  const first = items.find((item) => elsewhere(item) === null);
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
    <section aria-label={label}>
      <SentLines open={items} among={among} />
      <ul className="items">
        {items.map((item) => (
          <ItemCard
            key={item.id}
            item={item}
            chosen={elsewhere(item) === null}
            withReview={withReview}
            draft={drafts[item.id] ?? BLANK}
            change={(next) => change(item.id, next)}
            choose={elsewhere(item) ?? (() => undefined)}
            outgoing={outgoingAnswers.find((outgoing) => outgoing.item.id === item.id)}
            field={item === first ? field : others}
          />
        ))}
      </ul>
    </section>
  );
}
