// All missions.
import { MissionsPage } from "@/features/missions/missions-page";

export default MissionsPage;
