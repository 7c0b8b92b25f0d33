// Highlights a row that changed. The highlight fades within a second.
import { type RefObject, useEffect, useRef } from "react";

const FADES_IN = 1_000;

/** Highlight the row when `what` changes; not at first, and not if reduced motion is preferred. */
export function useChangeHighlight<Row extends HTMLElement>(what: string): RefObject<Row | null> {
  const row = useRef<Row>(null);
  const before = useRef(what);
  useEffect(() => {
    if (before.current === what) return;
    before.current = what;
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    row.current?.animate([{ backgroundColor: "var(--progress-bg)", offset: 0 }], {
      duration: FADES_IN,
      easing: "ease-out",
    });
  }, [what]);
  return row;
}
