// `j` and `k` move the focus from row to row. Enter activates the focused row.
import { useMemo } from "react";

import { useKeys } from "./keyboard-shortcuts";

/** Move the focus between the elements that `selector` matches, one per row. */
export function useRowKeys(selector: string): void {
  useKeys(
    useMemo(() => {
      const move = (step: number) => {
        const rows = [...document.querySelectorAll<HTMLElement>(`main ${selector}`)];
        const place = rows.indexOf(document.activeElement as HTMLElement);
        rows[place < 0 ? 0 : Math.max(0, Math.min(place + step, rows.length - 1))]?.focus();
      };
      return { j: () => move(1), k: () => move(-1) };
    }, [selector]),
  );
}
