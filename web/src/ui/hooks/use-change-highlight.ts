// What changed is seen without being moved: the tint of its row fades within a second.
import { useEffect, useRef, type RefObject } from "react";

const FADES_IN = 1_000;

/** For the row that shows `what`; nothing at first sight, nor for those who want no motion. */
export function useTint<Row extends HTMLElement>(what: string): RefObject<Row | null> {
  const row = useRef<Row>(null);
  const before = useRef(what);
  useEffect(() => {
    if (before.current === what) return;
    before.current = what;
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    row.current?.animate([{ backgroundColor: "var(--progress-bg)", offset: 0 }], { duration: FADES_IN, easing: "ease-out" });
  }, [what]);
  return row;
}
