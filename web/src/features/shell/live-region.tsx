// Announces new inbox items to screen readers, at most one every five seconds.
import { useCallback, useRef, useState } from "react";

import type { EventFrame } from "@/live/event-socket";
import { useEvents } from "@/live/live-connection";

const PAUSE = 5_000;

export function LiveRegion() {
  const [words, say] = useState("");
  const last = useRef(0);
  const hear = useCallback((events: EventFrame[]) => {
    const asked = events.findLast((event) => event.type === "queue:created");
    if (asked === undefined || Date.now() - last.current < PAUSE) return;
    last.current = Date.now();
    say(`New in your inbox: ${String(asked.data.subject)}`);
  }, []);
  useEvents(hear);
  return (
    <div className="hidden" aria-live="polite">
      {words}
    </div>
  );
}
