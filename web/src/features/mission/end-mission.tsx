// Offers to end a mission once all of its tasks are done.
import type { MissionOverview } from "@/api/types";
import { useAction } from "@/api/use-tool";
import { useOnline } from "@/live/live-connection";
import { ErrorMessage } from "@/ui/form";
import { plural } from "@/ui/format";
import { describeProof, doneCount } from "@/ui/status/progress-bar";

/** Return whether every task of an open mission is done or skipped. */
export function canEnd({ status, counts }: Pick<MissionOverview, "status" | "counts">): boolean {
  return status === "in_progress" && counts.total > 0 && doneCount(counts) + counts.skipped === counts.total;
}

export function EndMission({ mission }: { mission: MissionOverview }) {
  const online = useOnline();
  const end = useAction("complete_mission");
  if (!canEnd(mission)) return null;
  const words = describeProof(mission.counts);
  return (
    <div className="banner tone-success" role="note">
      <span>
        <strong>All {plural(mission.counts.total, "task")} done.</strong>{" "}
        <span className="quiet">{words}. End the mission if nothing is missing.</span>
        <ErrorMessage error={end.error} what="Could not end the mission" />
      </span>
      <button
        type="button"
        className="button primary"
        disabled={!online || end.isPending}
        onClick={() =>
          end.mutate({ mission_id: mission.id, status: "completed", summary: `All tasks done: ${words}.` })
        }
      >
        Complete mission
      </button>
    </div>
  );
}
