// What every view of a mission gets: the mission, the selected task, and how to select one.
import type { MissionOverview } from "@/api/types";

export interface ViewProps {
  mission: MissionOverview;
  chosen: string | null;
  choose: (task: string) => void;
}
