// Archives the selected missions that have ended.
import { useState } from "react";

import { call } from "@/api/call-tool";
import type { MissionGlance } from "@/api/types";
import { queries } from "@/api/use-tool";
import { useOnline } from "@/live/live-connection";
import { ErrorMessage } from "@/ui/form";
import { plural } from "@/ui/format";

const ENDED = new Set(["completed", "partial", "failed", "abandoned"]);

interface ArchiveProps {
  missions: readonly MissionGlance[];
  archived: boolean;
  done: () => void;
}

/** Offer to archive what is selected, or to take it out of the archive. */
export function ArchiveSelected({ missions, archived, done }: ArchiveProps) {
  const online = useOnline();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const ready = missions.filter((mission) => ENDED.has(mission.status));
  const archive = async () => {
    setBusy(true);
    setError(null);
    try {
      for (const mission of ready) await call("mission_archive", { mission_id: mission.id, archived: !archived });
      done();
    } catch (failed) {
      setError(failed as Error);
    } finally {
      setBusy(false);
      void queries.invalidateQueries({ queryKey: ["overview_missions"] });
    }
  };
  if (missions.length === 0) return null;
  const open = missions.length - ready.length;
  return (
    <div className="selection" role="group" aria-label="Selected missions">
      <span>{plural(missions.length, "mission")} selected</span>
      <button
        type="button"
        className="button"
        disabled={!online || busy || ready.length === 0}
        onClick={() => void archive()}
      >
        {archived ? "Unarchive" : "Archive"} {ready.length < missions.length ? ready.length : ""}
      </button>
      <button type="button" className="button" onClick={done}>
        Clear selection
      </button>
      {open > 0 && (
        <span className="quiet">{plural(open, "mission")} still open: only ended missions can be archived.</span>
      )}
      <ErrorMessage error={error} what="Could not archive" />
    </div>
  );
}
