// Launched agents and their terminals.
import { ExecutionsPage } from "@/features/executions/executions-page";

export default ExecutionsPage;
