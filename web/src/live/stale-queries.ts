// Decides which queries an event makes stale. A query is a tool's name and arguments; the tools declare which events concern them.
import { FADING_TOOLS, STALE_TOOLS, type Subject } from "@/api/stale-tools";
import type { EventFrame } from "./event-socket";

type Args = Record<string, unknown>;

/** Whether a query with these arguments and an event are about the same thing. */
const SAME: Record<Subject, (args: Args, event: EventFrame) => boolean> = {
  mission: (args, event) => [args["mission_id"], args["workflow_id"], args["id"]].includes(event.mission_id),
  task: (args, event) => [args["task_id"], args["id"]].includes(event.data["task_id"] ?? event.data["id"]),
  agent: (args, event) => [args["agent_id"], args["id"]].includes(event.data["agent_id"] ?? event.data["id"]),
  execution: (args, event) =>
    [args["execution_id"], args["id"]].includes(event.data["execution_id"] ?? event.data["id"]),
  item: (args, event) => args["id"] === event.data["id"],
};

/** Queries that also grow old without an event: heartbeats move leases and presence. */
export const FADING: ReadonlySet<string> = new Set<string>(FADING_TOOLS);

/** Whether one of the events makes the query with this key stale. */
export function isStale(key: readonly unknown[], events: readonly EventFrame[]): boolean {
  const [tool, args] = key as [string, Args | undefined];
  return events.some((event) =>
    (STALE_TOOLS[event.type.split(/[:.]/)[0] ?? ""] ?? []).some(
      (stale) => stale.tool === tool && (stale.about === undefined || SAME[stale.about](args ?? {}, event)),
    ),
  );
}
