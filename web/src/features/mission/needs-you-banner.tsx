// The most urgent inbox item of the mission, and how many more there are.
import { Link } from "react-router";

import type { MissionOverview } from "@/api/types";
import { useTool } from "@/api/use-tool";
import { estimatedEnd } from "@/features/shell/missions/time-estimates";
import { clockTime, plural, span } from "@/ui/format";
import { useNow } from "@/ui/hooks/use-server-clock";
import { QUEUE, statusFor } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";

export function NeedsYouBanner({ mission }: { mission: MissionOverview }) {
  const now = useNow();
  const waiting = useTool("queue_list", { mission_id: mission.id, limit: 5 });
  const first = waiting.data?.items[0];
  if (waiting.data === undefined || first === undefined) return null;
  const at = estimatedEnd(mission, now);
  const age = span((now - Date.parse(first.created_at)) / 1_000);
  const more = waiting.data.total - 1;
  return (
    <div className="banner" role="note">
      <StatusIcon status={statusFor(QUEUE, first.kind)} />
      <span>
        <strong>{first.subject}</strong>{" "}
        <span className="quiet">
          {first.agent_name ?? "An agent"}{" "}
          {first.kind === "failure" ? `failed ${age} ago` : `has been waiting for ${age}`}.
          {first.holds_tasks > 1 && ` It blocks ${plural(first.holds_tasks, "task")}.`}
          {first.critical &&
            ` It is on the critical path${at !== null ? `, so waiting delays the estimated end (${clockTime(at, now)})` : ""}.`}
          {more > 0 && ` ${more} more in the inbox.`}
        </span>
      </span>
      <Link className="button primary" to={`/inbox?item=${first.id}`}>
        Answer
      </Link>
    </div>
  );
}
