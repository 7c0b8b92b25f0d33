// Tells screen readers what changed, in at most one sentence every five seconds.
import { useCallback, useEffect, useRef, useState } from "react";

import type { EventFrame } from "@/live/event-socket";
import { useEvents } from "@/live/live-connection";
import { announcementFor } from "./announcement";

const PAUSE = 5_000;

export function LiveRegion() {
  const [words, say] = useState("");
  const waiting = useRef<EventFrame[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const speak = useCallback(() => {
    const sentence = announcementFor(waiting.current);
    waiting.current = [];
    timer.current = null;
    if (sentence === null) return;
    say(sentence);
    timer.current = setTimeout(speak, PAUSE); // what happens in the pause is said after it
  }, []);
  useEvents(
    useCallback(
      (events: EventFrame[]) => {
        waiting.current.push(...events);
        if (timer.current === null) speak();
      },
      [speak],
    ),
  );
  useEffect(() => () => clearTimeout(timer.current ?? undefined), []);
  return (
    <div className="hidden" aria-live="polite" data-announcements>
      {words}
    </div>
  );
}
