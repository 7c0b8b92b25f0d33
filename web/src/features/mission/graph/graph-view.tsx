// The graph of a mission, or the same as a list, next to its journal, which can be hidden.
import { useState } from "react";

import { Segmented } from "@/ui/basics";
import { ViewControls, ViewControlsSlot } from "../view-controls";
import type { ViewProps } from "../view-props";
import { JournalView } from "../views/journal-view";
import { TaskGraph } from "./task-graph";
import { TaskList } from "./task-list";

const HIDDEN = "mission.graph.journal-hidden";
const FORMS = [
  ["graph", "Graph"],
  ["list", "List"],
] as const;

export function GraphView(props: ViewProps) {
  const [form, setForm] = useState<(typeof FORMS)[number][0]>("graph");
  const [hidden, setHidden] = useState(() => localStorage.getItem(HIDDEN) === "yes");
  const toggle = () => {
    localStorage.setItem(HIDDEN, hidden ? "no" : "yes");
    setHidden(!hidden);
  };
  const controls = (
    <>
      <Segmented label="Show tasks as" options={FORMS} value={form} choose={setForm} />
      <button type="button" className="button small" aria-expanded={!hidden} onClick={toggle}>
        {hidden ? "Show journal" : "Hide journal"}
      </button>
    </>
  );
  return (
    <div className={hidden ? "" : "columns graph-and-journal"}>
      <div>
        <div className="wide-only">
          {form === "graph" ? (
            <TaskGraph {...props} controls={controls} />
          ) : (
            <>
              <ViewControls>
                <div className="wide-only actions">{controls}</div>
              </ViewControls>
              <TaskList {...props} />
            </>
          )}
        </div>
        <div className="narrow-only">
          <ViewControlsSlot value={null}>
            <TaskList {...props} />
          </ViewControlsSlot>
        </div>
      </div>
      {!hidden && (
        <div>
          <JournalView {...props} />
        </div>
      )}
    </div>
  );
}
