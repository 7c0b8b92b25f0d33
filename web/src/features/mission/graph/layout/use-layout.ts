// The layout of the graph, computed in a worker for large graphs. It changes only with the plan, never with states.
import { useEffect, useMemo, useRef, useState } from "react";

import type { Box } from "./fold-finished";
import { type Density, type Layout, layout } from "./layout";

const SMALL = 60;

export function useLayout(boxes: readonly Box[], density: Density, nodeWidth: number): Layout | null {
  const key = useMemo(
    () => JSON.stringify([density, nodeWidth, boxes.map((box) => [box.id, box.phase, box.needs])]),
    [boxes, density, nodeWidth],
  );
  const items = useRef(boxes);
  items.current = boxes;
  const worker = useWorker();
  const small = boxes.length <= SMALL;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key changes with the boxes but not with their states
  const here = useMemo(() => (small ? layout(plain(items.current), density, nodeWidth) : null), [key, small]);
  const [made, setMade] = useState<{ key: string; layout: Layout } | null>(null);
  useEffect(() => {
    if (small) return;
    return worker(plain(items.current), density, nodeWidth, (found) => setMade({ key, layout: found }));
  }, [key, small, density, nodeWidth, worker]);
  return here ?? made?.layout ?? null;
}

function plain(boxes: readonly Box[]) {
  return boxes.map(({ id, phase, needs }) => ({ id, phase, needs }));
}

type Ask = (
  items: ReturnType<typeof plain>,
  density: Density,
  nodeWidth: number,
  take: (layout: Layout) => void,
) => () => void;

function useWorker(): Ask {
  const worker = useRef<Worker | null>(null);
  const number = useRef(0);
  useEffect(() => () => worker.current?.terminate(), []);
  return useMemo<Ask>(
    () => (items, density, nodeWidth, take) => {
      worker.current ??= new Worker(new URL("./layout.worker.ts", import.meta.url), { type: "module" });
      const request = ++number.current;
      const receive = (message: MessageEvent<{ number: number; layout: Layout }>) => {
        if (message.data.number === request) take(message.data.layout);
      };
      worker.current.addEventListener("message", receive);
      worker.current.postMessage({ number: request, items, density, nodeWidth });
      return () => worker.current?.removeEventListener("message", receive);
    },
    [],
  );
}
