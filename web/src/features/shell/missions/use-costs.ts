// What work cost in the last days, by the clock of this browser.
import { useTool } from "@/api/use-tool";

export function useCosts(days: number, options: { missionId?: string } = {}) {
  const args = { days, utc_offset: -new Date().getTimezoneOffset() };
  return useTool("costs", options.missionId === undefined ? args : { ...args, mission_id: options.missionId }, {
    keep: true,
  });
}
