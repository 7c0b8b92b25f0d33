// The pages in the order of the sidebar.
import type { IconName } from "@/ui/icons";

export interface PageLink {
  to: string;
  icon: IconName;
  name: string;
  key?: string;
}

export const PAGES: PageLink[] = [
  { to: "/", icon: "now", name: "Now", key: "n" },
  { to: "/inbox", icon: "inbox", name: "Inbox", key: "i" },
  { to: "/missions", icon: "missions", name: "Missions", key: "m" },
  { to: "/runs", icon: "runs", name: "Runs", key: "r" },
  { to: "/executions", icon: "executions", name: "Executions", key: "x" },
  { to: "/agents", icon: "agents", name: "Agents", key: "a" },
  { to: "/workspaces", icon: "workspaces", name: "Workspaces", key: "w" },
  { to: "/costs", icon: "costs", name: "Costs" },
  { to: "/templates", icon: "templates", name: "Templates" },
  { to: "/audit", icon: "audit", name: "Audit" },
  { to: "/settings", icon: "settings", name: "Settings" },
];
