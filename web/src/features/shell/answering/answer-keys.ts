// Keyboard shortcuts that answer an item: numbers for its choices, `e` to write, Enter to send.
import type { RefObject } from "react";

import type { ItemRow } from "@/api/types";
import { choicesOf, type Draft } from "./answer-draft";

type Keys = Record<string, (event: KeyboardEvent) => void>;

export function answerKeys(
  item: ItemRow,
  field: RefObject<HTMLTextAreaElement | null>,
  draft: Draft,
  change: (draft: Draft) => void,
): Keys {
  const card = `[data-item="${item.id}"]`;
  const pick = (event: KeyboardEvent) => {
    const choice = choicesOf(item).find((each) => String(each.number) === event.key);
    if (choice === undefined) return;
    event.preventDefault();
    change({ ...draft, choice: choice.number });
    if (!choice.fixed) document.querySelector<HTMLElement>(`${card} [data-choice="${choice.number}"]`)?.focus();
  };
  return {
    e: (event) => {
      event.preventDefault();
      field.current?.focus();
    },
    Enter: (event) => {
      if ((event.target as Element).closest("a, button, summary") === null)
        document.querySelector<HTMLFormElement>(`${card} form[data-answer]`)?.requestSubmit();
    },
    ...Object.fromEntries([1, 2, 3, 4, 5, 6].map((number) => [String(number), pick])),
  };
}
