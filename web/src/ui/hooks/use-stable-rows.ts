// Keeps rows in place while you point at them: a new order waits for a pause or a click.
import { type RefObject, useEffect, useReducer, useRef, useState } from "react";

const PAUSE = 3_000;

interface Row {
  id: string;
}

/** Return the rows in the order already shown. New rows at the end move nothing, so they are shown at once. */
export function settled<Each extends Row>(
  rows: readonly Each[],
  order: readonly string[],
): { shown: Each[]; fresh: number } {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const known = new Set(order);
  const shown = order.flatMap((id) => byId.get(id) ?? []);
  const last = rows.findLastIndex((row) => known.has(row.id));
  shown.push(...rows.slice(last + 1));
  return { shown, fresh: rows.length - shown.length };
}

interface StableRows<Each> {
  shown: Each[];
  /** How many rows are held back. */
  fresh: number;
  show: () => void;
}

/** Return rows that do not move while `list` has the pointer or the focus, or a key was just pressed. */
export function useStableRows<Each extends Row>(
  rows: readonly Each[],
  list: RefObject<HTMLElement | null>,
): StableRows<Each> {
  const [order, setOrder] = useState<readonly string[]>(() => rows.map((row) => row.id));
  const [, again] = useReducer((times: number) => times + 1, 0);
  const active = useActivity(list);
  const same = order.length === rows.length && rows.every((row, place) => row.id === order[place]);
  const rest = active.current + PAUSE - Date.now();
  const busy = rest > 0 || (list.current?.contains(document.activeElement) ?? false);
  const take = () => setOrder(rows.map((row) => row.id));
  const kept = settled(rows, order);
  const nothing = kept.shown.length === 0;
  useEffect(() => {
    if (same) return;
    if (!busy || nothing) return take();
    const timer = setTimeout(again, Math.max(rest, 200));
    return () => clearTimeout(timer);
  });
  if (same || nothing) return { shown: [...rows], fresh: 0, show: take };
  return { ...kept, show: take };
}

/** Track when the pointer last moved over the list or any key was pressed. */
function useActivity(list: RefObject<HTMLElement | null>): RefObject<number> {
  const last = useRef(0);
  useEffect(() => {
    const move = (event: Event) => {
      if (event.type === "keydown" || list.current?.contains(event.target as Node)) last.current = Date.now();
    };
    const kinds = ["pointermove", "pointerdown", "keydown"];
    for (const kind of kinds) document.addEventListener(kind, move, { passive: true });
    return () => {
      for (const kind of kinds) document.removeEventListener(kind, move);
    };
  }, [list]);
  return last;
}

/** Return the row that shortcuts apply to. It stays the same while rows move; if it goes, the row that takes its place. */
export function useSelectedRow<Each extends Row>(rows: readonly Each[], wanted: string | null = null) {
  const [held, hold] = useState<{ id: string | null; place: number }>({ id: wanted, place: 0 });
  const id = wanted ?? held.id;
  const found = rows.findIndex((row) => row.id === id);
  const place = found >= 0 ? found : Math.max(0, Math.min(held.place, rows.length - 1));
  const chosen = rows[place];
  useEffect(() => {
    if (chosen !== undefined && (chosen.id !== held.id || place !== held.place)) hold({ id: chosen.id, place });
  }, [chosen, place, held]);
  return {
    chosen,
    place,
    choose: (next: string) => hold({ id: next, place: rows.findIndex((row) => row.id === next) }),
  };
}
