// Maps addresses to pages. Every page except Now, the most visited one, loads on its first visit.
import { lazy, Suspense } from "react";
import { Route, Routes, useLocation } from "react-router";

import { useSignedIn } from "@/api/signed-in";
import { LoginPage } from "@/features/login/login-page";
import { OpenLinkPage } from "@/features/login/open-link-page";
import { NowPage } from "@/features/now/now-page";
import { ErrorBoundary } from "@/features/shell/error-boundary";
import { Shell } from "@/features/shell/shell";
import { Skeleton } from "@/ui/query-states";

const MissionsPage = lazy(async () => ({ default: (await import("@/features/missions/missions-page")).MissionsPage }));
const MissionPage = lazy(async () => ({ default: (await import("@/features/mission/mission-page")).MissionPage }));
const RunsPage = lazy(async () => ({ default: (await import("@/features/runs/runs-page")).RunsPage }));
const RunPage = lazy(async () => ({ default: (await import("@/features/runs/run-page")).RunPage }));
const InboxPage = lazy(async () => ({ default: (await import("@/features/inbox/inbox-page")).InboxPage }));
const TaskPage = lazy(async () => ({ default: (await import("@/features/task/task-page")).TaskPage }));
const ExecutionsPage = lazy(async () => ({
  default: (await import("@/features/executions/executions-page")).ExecutionsPage,
}));
const AgentsPage = lazy(async () => ({ default: (await import("@/features/agents/agents-page")).AgentsPage }));
const WorkspacesPage = lazy(async () => ({
  default: (await import("@/features/workspaces/workspaces-page")).WorkspacesPage,
}));
const TemplatesPage = lazy(async () => ({
  default: (await import("@/features/templates/templates-page")).TemplatesPage,
}));
const AuditPage = lazy(async () => ({ default: (await import("@/features/audit/audit-page")).AuditPage }));
const SettingsPage = lazy(async () => ({ default: (await import("@/features/settings/settings-page")).SettingsPage }));
const WelcomePage = lazy(async () => ({ default: (await import("@/features/welcome/welcome-page")).WelcomePage }));
const SearchPage = lazy(async () => ({ default: (await import("@/features/search/search-page")).SearchPage }));
const NotFoundPage = lazy(async () => ({ default: (await import("@/features/shell/not-found-page")).NotFoundPage }));

export function App() {
  const signedIn = useSignedIn();
  const { pathname } = useLocation();
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
