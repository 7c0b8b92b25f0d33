// One polite sentence at a time for those who listen: that somebody asks, at most every five seconds.
import { useCallback, useRef, useState } from "react";

import { useEvents } from "@/live/live-connection";
import type { EventFrame } from "@/live/event-socket";

const PAUSE = 5_000;

export function LiveRegion() {
  const [words, say] = useState("");
  const last = useRef(0);
  const hear = useCallback((events: EventFrame[]) => {
    const asked = events.findLast((event) => event.type === "queue:created");
    if (asked === undefined || Date.now() - last.current < PAUSE) return;
    last.current = Date.now();
    say(`Something waits for you: ${String(asked.data["subject"])}`);
  }, []);
  useEvents(hear);
  return (
    <div className="hidden" aria-live="polite">
      {words}
    </div>
  );
}
