// One sentence about the newest events for screen readers: what needs you first, then what failed and what finished.
import type { EventFrame } from "@/live/event-socket";
import { plural } from "@/ui/format";

/** Return the sentence; null if nothing happened that is worth saying. */
export function announcementFor(events: readonly EventFrame[]): string | null {
  const asked = events.filter((event) => event.type === "queue:created");
  const newest = asked.at(-1);
  if (newest !== undefined) {
    const more = asked.length > 1 ? `, and ${asked.length - 1} more` : "";
    return `New in your inbox: ${String(newest.data.subject)}${more}`;
  }
  if (events.some((event) => event.type === "run:finished")) return "A run has finished.";
  return tasksThat(events, "failed", "failed") ?? tasksThat(events, "completed", "finished");
}

function tasksThat(events: readonly EventFrame[], status: string, verb: string): string | null {
  const ended = events.filter((event) => event.type === "task:updated" && event.data.status === status);
  const ids = new Set(ended.map((event) => event.data.id));
  if (ids.size === 0) return null;
  return ids.size === 1 ? `Task ${verb}: ${String(ended[0]!.data.name)}` : `${plural(ids.size, "task")} ${verb}.`;
}
