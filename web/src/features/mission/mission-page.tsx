// One mission: header, figures, and its views.
import { useParams } from "react-router";

import { useTool } from "@/api/queries";
import { Loaded } from "@/ui/states";
import { look, MISSION } from "@/ui/status";
import { StatusPill } from "@/ui/status-icon";

export function MissionPage() {
  const { id = "" } = useParams();
  const mission = useTool("overview_mission", { mission_id: id });
  return (
    <div className="page">
      <Loaded query={mission} what="The mission could not be read">
        {(data) => (
          <>
            <title>{`${data.name} · Mission Control`}</title>
            <div className="page-head">
              <h1>{data.name}</h1>
              <StatusPill status={look(MISSION, data.status)} />
            </div>
            <p className="quiet">{data.objective}</p>
          </>
        )}
      </Loaded>
    </div>
  );
}
