// `j` and `k` move the focus from row to row; Enter then is the row's own.
import { useMemo } from "react";

import { useKeys } from "./keyboard-shortcuts";

/** `selector` finds what takes the focus in each row. */
export function useRowKeys(selector: string): void {
  useKeys(
    useMemo(() => {
      const move = (step: number) => {
        const rows = [...document.querySelectorAll<HTMLElement>(`main ${selector}`)];
        const place = rows.findIndex((row) => row === document.activeElement);
        rows[place < 0 ? 0 : Math.max(0, Math.min(place + step, rows.length - 1))]?.focus();
      };
      return { j: () => move(1), k: () => move(-1) };
    }, [selector]),
  );
}
