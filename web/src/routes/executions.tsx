// Executions.
import { ExecutionsPage } from "@/features/executions/executions-page";

export default ExecutionsPage;
