// Maps addresses to pages. Every page except Now, the most visited one, loads on its first visit or when idle.
import { lazy, Suspense, useEffect } from "react";
import { Route, Routes, useLocation } from "react-router";

import { useSignedIn } from "@/api/signed-in";
import { LoginPage } from "@/features/login/login-page";
import { OpenLinkPage } from "@/features/login/open-link-page";
import { NowPage } from "@/features/now/now-page";
import { ErrorBoundary } from "@/features/shell/error-boundary";
import { loadWhenIdle } from "@/features/shell/load-when-idle";
import { Shell } from "@/features/shell/shell";
import { Skeleton } from "@/ui/query-states";

const PAGES = {
  missions: () => import("@/features/missions/missions-page"),
  mission: () => import("@/features/mission/mission-page"),
  runs: () => import("@/features/runs/runs-page"),
  run: () => import("@/features/runs/run-page"),
  inbox: () => import("@/features/inbox/inbox-page"),
  task: () => import("@/features/task/task-page"),
  executions: () => import("@/features/executions/executions-page"),
  agents: () => import("@/features/agents/agents-page"),
  workspaces: () => import("@/features/workspaces/workspaces-page"),
  costs: () => import("@/features/costs/costs-page"),
  templates: () => import("@/features/templates/templates-page"),
  audit: () => import("@/features/audit/audit-page"),
  settings: () => import("@/features/settings/settings-page"),
  welcome: () => import("@/features/welcome/welcome-page"),
  search: () => import("@/features/search/search-page"),
  notFound: () => import("@/features/shell/not-found-page"),
};

const MissionsPage = lazy(async () => ({ default: (await PAGES.missions()).MissionsPage }));
const MissionPage = lazy(async () => ({ default: (await PAGES.mission()).MissionPage }));
const RunsPage = lazy(async () => ({ default: (await PAGES.runs()).RunsPage }));
const RunPage = lazy(async () => ({ default: (await PAGES.run()).RunPage }));
const InboxPage = lazy(async () => ({ default: (await PAGES.inbox()).InboxPage }));
const TaskPage = lazy(async () => ({ default: (await PAGES.task()).TaskPage }));
const ExecutionsPage = lazy(async () => ({ default: (await PAGES.executions()).ExecutionsPage }));
const AgentsPage = lazy(async () => ({ default: (await PAGES.agents()).AgentsPage }));
const WorkspacesPage = lazy(async () => ({ default: (await PAGES.workspaces()).WorkspacesPage }));
const CostsPage = lazy(async () => ({ default: (await PAGES.costs()).CostsPage }));
const TemplatesPage = lazy(async () => ({ default: (await PAGES.templates()).TemplatesPage }));
const AuditPage = lazy(async () => ({ default: (await PAGES.audit()).AuditPage }));
const SettingsPage = lazy(async () => ({ default: (await PAGES.settings()).SettingsPage }));
const WelcomePage = lazy(async () => ({ default: (await PAGES.welcome()).WelcomePage }));
const SearchPage = lazy(async () => ({ default: (await PAGES.search()).SearchPage }));
const NotFoundPage = lazy(async () => ({ default: (await PAGES.notFound()).NotFoundPage }));

export function App() {
  const signedIn = useSignedIn();
  const { pathname } = useLocation();
  useEffect(() => (signedIn ? loadWhenIdle(Object.values(PAGES)) : undefined), [signedIn]);
  if (pathname === "/open") return <OpenLinkPage />;
  if (!signedIn || pathname === "/login") return <LoginPage />;
  return (
    <Shell>
      <ErrorBoundary at={pathname}>
        <Suspense fallback={<Skeleton rows={6} />}>
          <Routes>
            <Route index element={<NowPage />} />
            <Route path="missions" element={<MissionsPage />} />
            <Route path="missions/:id" element={<MissionPage />} />
            <Route path="runs" element={<RunsPage />} />
            <Route path="runs/:id" element={<RunPage />} />
            <Route path="inbox" element={<InboxPage />} />
            <Route path="tasks/:id" element={<TaskPage />} />
            <Route path="executions" element={<ExecutionsPage />} />
            <Route path="executions/:id" element={<ExecutionsPage />} />
            <Route path="agents" element={<AgentsPage />} />
            <Route path="workspaces" element={<WorkspacesPage />} />
            <Route path="costs" element={<CostsPage />} />
            <Route path="templates" element={<TemplatesPage />} />
            <Route path="audit" element={<AuditPage />} />
            <Route path="settings" element={<SettingsPage />} />
            <Route path="welcome" element={<WelcomePage />} />
            <Route path="search" element={<SearchPage />} />
            <Route path="*" element={<NotFoundPage />} />
          </Routes>
        </Suspense>
      </ErrorBoundary>
    </Shell>
  );
}
