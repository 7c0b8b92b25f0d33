// One mission: header, figures, what waits in it, and its views, of which a second one can stand below.
import { lazy, Suspense, useMemo, useState } from "react";
import { Link, useParams, useSearchParams } from "react-router";

import { useTool } from "@/api/use-tool";
import type { MissionOverview } from "@/api/types";
import { useKeys } from "@/features/shell/keyboard-shortcuts";
import { Loaded, Skeleton } from "@/ui/query-states";
import { Banner } from "./needs-you-banner";
import { ControlsPlace } from "./view-controls";
import { Header } from "./mission-header";
import { MissionFigures } from "./mission-stats";
import { TaskPanel } from "./task-panel";
import { Agents } from "./views/agents-view";
import { Board } from "./views/board-view";
import { Changes } from "./views/changes-view";
import { Journal } from "./views/journal-view";
import { Plan } from "./views/plan-view";
import { Timeline } from "./views/timeline-view";
import "./mission.css";

const Graph = lazy(() => import("./graph/task-graph").then((module) => ({ default: module.Graph })));

const VIEWS = ["graph", "board", "timeline", "journal", "changes", "agents", "plan"] as const;
type View = (typeof VIEWS)[number];
const NAMES: Record<View, string> = {
  graph: "Graph",
  board: "Board",
  timeline: "Timeline",
  journal: "Journal",
  changes: "Changes",
  agents: "Agents",
  plan: "Plan",
};

export function MissionPage() {
  const { id = "" } = useParams();
  const mission = useTool("overview_mission", { mission_id: id });
  return (
    <div className="page mission">
      <Loaded query={mission} what="The mission could not be read" rows={8}>
        {(data) => (
          <>
            <title>{`${data.name} · Mission Control`}</title>
            <Header mission={data} />
            <MissionFigures mission={data} />
            <Banner mission={data} />
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
  const set = (name: string, value: string | null) =>
    setAddress((before) => {
      const next = new URLSearchParams(before);
      if (value === null) next.delete(name);
      else next.set(name, value);
      return next;
    });
  useKeys(
    useMemo(() => {
      const step = (by: number) => set("view", VIEWS[(VIEWS.indexOf(view) + by + VIEWS.length) % VIEWS.length]!);
      return { "[": () => step(-1), "]": () => step(1), Escape: () => set("task", null) };
    }, [view]),
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
            <Link key={each} to={`?${withView(address, each)}`} aria-current={each === view ? "page" : undefined} replace>
              {NAMES[each]} {(counts[each] ?? 0) > 0 && <span className="count">{counts[each]}</span>}
            </Link>
          ))}
        </nav>
        <div className="view-controls actions" ref={setControls} />
        <label className="below">
          <span className="quiet">Below:</span>
          <select value={below ?? ""} onChange={(event) => set("below", event.target.value || null)}>
            <option value="">nothing</option>
            {VIEWS.filter((each) => each !== view).map((each) => (
              <option key={each} value={each}>
                {NAMES[each]}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Suspense fallback={<Skeleton rows={6} />}>
        <ControlsPlace value={controls}>
          <Shown view={view} {...shown} />
        </ControlsPlace>
        {below !== null && below !== view && <Shown view={below} {...shown} />}
      </Suspense>
      {task !== null && <TaskPanel mission={mission} id={task} close={() => set("task", null)} />}
    </>
  );
}

export interface ViewProps {
  mission: MissionOverview;
  chosen: string | null;
  choose: (task: string) => void;
}

function Shown({ view, ...props }: ViewProps & { view: View }) {
  if (view === "graph")
    return (
      <div className="columns graph-and-journal">
        <div>
          {props.mission.tasks.length === 0 ? (
            <Plan {...props} />
          ) : (
            <>
              <div className="wide-only">
                <Graph {...props} />
              </div>
              <div className="narrow-only">
                <ControlsPlace value={null}>
                  <Board {...props} />
                </ControlsPlace>
              </div>
            </>
          )}
        </div>
        <div>
          <Journal {...props} />
        </div>
      </div>
    );
  const View = { board: Board, timeline: Timeline, journal: Journal, changes: Changes, agents: Agents, plan: Plan }[view];
  return <View {...props} />;
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
