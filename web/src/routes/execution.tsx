// Execution.
import { ExecutionPage } from "@/features/executions/execution-page";

export default ExecutionPage;
