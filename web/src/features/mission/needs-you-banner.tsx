// What waits for a person in this mission, the most urgent only; the rest is counted.
import { Link } from "react-router";

import { useTool } from "@/api/use-tool";
import type { MissionOverview } from "@/api/types";
import { useNow } from "@/ui/hooks/use-server-clock";
import { look, QUEUE } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";
import { clockTime, plural, span } from "@/ui/format";
import { doneAbout } from "./graph/time-estimates";

export function Banner({ mission }: { mission: MissionOverview }) {
  const now = useNow();
  const waiting = useTool("queue_list", { mission_id: mission.id, limit: 5 });
  const first = waiting.data?.items[0];
  if (waiting.data === undefined || first === undefined) return null;
  const at = doneAbout(mission, now);
  const age = span((now - Date.parse(first.created_at)) / 1_000);
  const more = waiting.data.total - 1;
  return (
    <div className="banner" role="note">
      <StatusIcon status={look(QUEUE, first.kind)} />
      <span>
        <strong>{first.subject}</strong>{" "}
        <span className="quiet">
          {first.agent_name ?? "Somebody"} {first.kind === "failure" ? `failed ${age} ago` : `has waited ${age}`}.
          {first.holds_tasks > 1 && ` It holds ${plural(first.holds_tasks, "task")}.`}
          {first.critical && ` It is on the critical path${at !== null ? `: every further minute moves ${clockTime(at, now)}` : ""}.`}
          {more > 0 && ` ${more} more ${more === 1 ? "waits" : "wait"}.`}
        </span>
      </span>
      <Link className="button primary" to={`/inbox?item=${first.id}`}>
        Answer
      </Link>
    </div>
  );
}
