// Every worktree.
import { WorkspacesPage } from "@/features/workspaces/workspaces-page";

export default WorkspacesPage;
