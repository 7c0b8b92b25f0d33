// All agents.
import { AgentsPage } from "@/features/agents/agents-page";

export default AgentsPage;
