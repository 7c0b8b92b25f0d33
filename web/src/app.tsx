// Which address shows what. A route is loaded when it is first visited, but for Now, which is looked at most; add one
// here and its folder under features.
import { lazy, Suspense } from "react";
import { Route, Routes, useLocation } from "react-router";

import { useSignedIn } from "@/api/session";
import { Login } from "@/features/login/login";
import { Opening } from "@/features/login/opening";
import { Mishap } from "@/features/shell/mishap";
import { Shell } from "@/features/shell/shell";
import Now from "@/routes/now";
import { Skeleton } from "@/ui/states";

const Missions = lazy(() => import("@/routes/missions"));
const Mission = lazy(() => import("@/routes/mission"));
const Inbox = lazy(() => import("@/routes/inbox"));
const Task = lazy(() => import("@/routes/task"));
const Executions = lazy(() => import("@/routes/executions"));
const Agents = lazy(() => import("@/routes/agents"));
const Workspaces = lazy(() => import("@/routes/workspaces"));
const Templates = lazy(() => import("@/routes/templates"));
const Audit = lazy(() => import("@/routes/audit"));
const Settings = lazy(() => import("@/routes/settings"));
const Welcome = lazy(() => import("@/routes/welcome"));
const Search = lazy(() => import("@/routes/search"));
const NotHere = lazy(() => import("@/routes/not-here"));

export function App() {
  const signedIn = useSignedIn();
  const { pathname } = useLocation();
  if (pathname === "/open") return <Opening />;
  if (!signedIn || pathname === "/login") return <Login />;
  return (
    <Shell>
      <Mishap at={pathname}>
        <Suspense fallback={<Skeleton rows={6} />}>
          <Routes>
            <Route index element={<Now />} />
            <Route path="missions" element={<Missions />} />
            <Route path="missions/:id" element={<Mission />} />
            <Route path="inbox" element={<Inbox />} />
            <Route path="tasks/:id" element={<Task />} />
            <Route path="executions" element={<Executions />} />
            <Route path="executions/:id" element={<Executions />} />
            <Route path="agents" element={<Agents />} />
            <Route path="workspaces" element={<Workspaces />} />
            <Route path="templates" element={<Templates />} />
            <Route path="audit" element={<Audit />} />
            <Route path="settings" element={<Settings />} />
            <Route path="welcome" element={<Welcome />} />
            <Route path="search" element={<Search />} />
            <Route path="*" element={<NotHere />} />
          </Routes>
        </Suspense>
      </Mishap>
    </Shell>
  );
}
