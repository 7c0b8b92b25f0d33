// One mission.
import { MissionPage } from "@/features/mission/mission-page";

export default MissionPage;
