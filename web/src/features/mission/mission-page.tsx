// One mission: header, numbers, inbox banner, and its views, with an optional second view below.
import { lazy, Suspense, useCallback, useMemo, useState } from "react";
import { Link, useParams, useSearchParams } from "react-router";

import type { MissionOverview } from "@/api/types";
import { useTool } from "@/api/use-tool";
import { useKeys } from "@/features/shell/keyboard/keyboard-shortcuts";
import { Loaded, Skeleton } from "@/ui/query-states";
import { ProofBar } from "@/ui/status/progress-bar";
import { ChecksView } from "./checks/checks-view";
import { EndMission } from "./end-mission";
import { MissionHeader } from "./mission-header";
import { MissionStats } from "./mission-stats";
import { NeedsYouBanner } from "./needs-you-banner";
import { TaskPanel } from "./task-panel";
import { ViewControlsSlot } from "./view-controls";
import type { ViewProps } from "./view-props";
import { AgentsView } from "./views/agents-view";
import { BoardView } from "./views/board-view";
import { ChangesView } from "./views/changes-view";
import { JournalView } from "./views/journal-view";
import { PlanView } from "./views/plan-view";
import { TimelineView } from "./views/timeline-view";
import "./mission.css";

const GraphView = lazy(() => import("./graph/graph-view").then((module) => ({ default: module.GraphView })));

const VIEWS = ["graph", "board", "timeline", "journal", "changes", "agents", "plan", "checks"] as const;
type View = (typeof VIEWS)[number];
const NAMES: Record<View, string> = {
  graph: "Graph",
  board: "Board",
  timeline: "Timeline",
  journal: "Journal",
  changes: "Changes",
  agents: "Agents",
  plan: "Plan",
  checks: "Checks",
};

export function MissionPage() {
  const { id = "" } = useParams();
  const mission = useTool("overview_mission", { mission_id: id });
  return (
    <div className="page mission">
      <Loaded query={mission} what="the mission" rows={8}>
        {(data) => (
          <>
            <title>{`${data.name} · Mission Control`}</title>
            <MissionHeader mission={data} />
            <MissionStats mission={data} />
            {data.tasks.length > 0 && <ProofBar counts={data.counts} label="Proof for this mission" />}
            <NeedsYouBanner mission={data} />
            <EndMission mission={data} />
            <Views mission={data} />
          </>
        )}
      </Loaded>
    </div>
  );
}

function Views({ mission }: { mission: MissionOverview }) {
  const [address, setAddress] = useSearchParams();
  const view = asView(address.get("view")) ?? "graph";
  const below = asView(address.get("below"));
  const task = address.get("task");
  const [controls, setControls] = useState<HTMLElement | null>(null);
  const set = useCallback(
    (name: string, value: string | null) =>
      setAddress((before) => {
        const next = new URLSearchParams(before);
        if (value === null) next.delete(name);
        else next.set(name, value);
        return next;
      }),
    [setAddress],
  );
  useKeys(
    useMemo(() => {
      const step = (by: number) => set("view", VIEWS[(VIEWS.indexOf(view) + by + VIEWS.length) % VIEWS.length]!);
      return { "[": () => step(-1), "]": () => step(1), Escape: () => set("task", null) };
    }, [view, set]),
  );
  const counts: Partial<Record<View, number>> = {
    journal: mission.entries,
    changes: mission.files,
    agents: new Set(mission.tasks.map((each) => each.agent_id ?? each.agent).filter(Boolean)).size,
  };
  const shown = { mission, chosen: task, choose: (id: string) => set("task", id) };
  return (
    <>
      <div className="views">
        <nav aria-label="Views of this mission">
          {VIEWS.map((each) => (
            <Link
              key={each}
              to={`?${withView(address, each)}`}
              aria-current={each === view ? "page" : undefined}
              replace
            >
              {NAMES[each]} {(counts[each] ?? 0) > 0 && <span className="count">{counts[each]}</span>}
            </Link>
          ))}
        </nav>
        <div className="view-controls actions" ref={setControls} />
        <label className="below">
          <span className="quiet">Split view:</span>
          <select value={below ?? ""} onChange={(event) => set("below", event.target.value || null)}>
            <option value="">off</option>
            {VIEWS.filter((each) => each !== view).map((each) => (
              <option key={each} value={each}>
                {NAMES[each]}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Suspense fallback={<Skeleton rows={6} />}>
        <ViewControlsSlot value={controls}>
          <SelectedView view={view} {...shown} />
        </ViewControlsSlot>
        {below !== null && below !== view && <SelectedView view={below} {...shown} />}
      </Suspense>
      {task !== null && <TaskPanel mission={mission} id={task} close={() => set("task", null)} />}
    </>
  );
}

function SelectedView({ view, ...props }: ViewProps & { view: View }) {
  if (view === "graph") return props.mission.tasks.length === 0 ? <EmptyPlan {...props} /> : <GraphView {...props} />;
  const View = {
    board: BoardView,
    timeline: TimelineView,
    journal: JournalView,
    changes: ChangesView,
    agents: AgentsView,
    plan: PlanView,
    checks: ChecksView,
  }[view];
  return <View {...props} />;
}

/** A mission without tasks has nothing to draw. */
function EmptyPlan(props: ViewProps) {
  return (
    <div className="columns graph-and-journal">
      <div>
        <PlanView {...props} />
      </div>
      <div>
        <JournalView {...props} />
      </div>
    </div>
  );
}

function asView(word: string | null): View | null {
  return VIEWS.find((view) => view === word) ?? null;
}

function withView(address: URLSearchParams, view: View): string {
  const next = new URLSearchParams(address);
  next.set("view", view);
  next.delete("task");
  return next.toString();
}
