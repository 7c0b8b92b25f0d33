// The header of a mission: name, status, goal and actions.
import { type FocusEvent, type KeyboardEvent, useRef, useState } from "react";
import { Link } from "react-router";

import { call } from "@/api/call-tool";
import type { MissionOverview } from "@/api/types";
import { useAction, useTool } from "@/api/use-tool";
import { isLiveRun, runStatus } from "@/features/shell/runs/run-status";
import { StartRunButton } from "@/features/shell/runs/start-run";
import { useOnline } from "@/live/live-connection";
import { CopyableId } from "@/ui/basics";
import { ExpandableText } from "@/ui/expandable-text";
import { ErrorMessage } from "@/ui/form";
import { Icon } from "@/ui/icons";
import { saveFile } from "@/ui/save-file";
import { missionStatus } from "@/ui/status/status";
import { StatusIcon, StatusPill } from "@/ui/status/status-icon";
import { AddTaskButton } from "./add-task-form";

const ENDED = new Set(["completed", "partial", "failed", "abandoned"]);
const FORMATS = [
  ["markdown", "Markdown"],
  ["html", "HTML"],
  ["json", "JSON"],
] as const;

export function MissionHeader({ mission }: { mission: MissionOverview }) {
  const online = useOnline();
  const update = useAction("workflow_update_status");
  const archive = useAction("mission_archive");
  const paused = mission.status === "paused" || mission.status === "blocked";
  const ended = ENDED.has(mission.status);
  const error = update.error ?? archive.error;
  const goal = goalOf(mission);
  return (
    <header className="mission-head">
      <nav className="crumbs" aria-label="Breadcrumbs">
        <Link to="/missions">Missions</Link>
        {mission.repository_path !== null && (
          <>
            <Icon name="chevron" size={10} />
            <span title={mission.repository_path}>
              {mission.repository_path.split("/").filter(Boolean).slice(-2).join("/")}
            </span>
          </>
        )}
        <Icon name="chevron" size={10} />
        <CopyableId id={mission.id} />
      </nav>
      <div className="page-head">
        <h1>{mission.name}</h1>
        <StatusPill status={missionStatus(mission, mission.counts)} />
        <div className="actions">
          <RunOfMission mission={mission} startable={!ended && mission.tasks.length > 0} />
          {!ended && <AddTaskButton mission={mission} />}
          <ExportMenu mission={mission} />
          {!ended && mission.status !== "planning" && (
            <button
              type="button"
              className="button"
              disabled={!online || update.isPending}
              onClick={() => update.mutate({ id: mission.id, status: paused ? "in_progress" : "paused" })}
            >
              <Icon name={paused ? "play" : "pause"} />
              {paused ? "Resume" : "Pause"}
            </button>
          )}
          {ended && (
            <button
              type="button"
              className="button"
              disabled={!online || archive.isPending}
              onClick={() => archive.mutate({ mission_id: mission.id, archived: mission.archived_at === null })}
            >
              {mission.archived_at === null ? "Archive" : "Unarchive"}
            </button>
          )}
        </div>
      </div>
      {goal !== null && <Objective text={goal} />}
      {mission.summary !== null && (
        <p className="objective">
          <ExpandableText text={mission.summary} />
        </p>
      )}
      <ErrorMessage error={error} />
    </header>
  );
}

/** Show the objective in one line; a click unfolds it. */
function Objective({ text }: { text: string }) {
  const [open, setOpen] = useState(false);
  return (
    <button
      type="button"
      className="quiet objective"
      data-open={open || undefined}
      aria-expanded={open}
      title={open ? "Fold" : "Show all"}
      onClick={() => setOpen(!open)}
    >
      {text}
    </button>
  );
}

/** Link to the mission's newest run, and offer to start one unless it is under way. */
function RunOfMission({ mission, startable }: { mission: MissionOverview; startable: boolean }) {
  const runs = useTool("run_list", { mission_id: mission.id, limit: 1 });
  const newest = runs.data?.runs[0];
  const live = newest !== undefined && isLiveRun(newest);
  return (
    <>
      {startable && !live && !runs.isPending && <StartRunButton missionId={mission.id} name={mission.name} />}
      {newest !== undefined && (
        <Link className="button" to={`/runs/${newest.run_id}`}>
          <StatusIcon status={runStatus(newest, newest.questions)} decorative size={14} />
          {live ? "Open run" : "Last run"}
        </Link>
      )}
    </>
  );
}

/** Return the goal of the mission; null if it only repeats the name. */
function goalOf(mission: MissionOverview): string | null {
  if (mission.objective !== mission.name) return mission.objective;
  return mission.source_content === mission.name ? null : mission.source_content;
}

function ExportMenu({ mission }: { mission: MissionOverview }) {
  const menu = useRef<HTMLDetailsElement>(null);
  const [failed, setFailed] = useState<Error | null>(null);
  const save = async (format: (typeof FORMATS)[number][0]) => {
    menu.current?.removeAttribute("open");
    setFailed(null);
    const made = await call("mission_export", { mission_id: mission.id, format });
    saveFile(new Blob([made.content], { type: made.media_type }), made.filename);
  };
  return (
    <>
      <ErrorMessage error={failed} what="Could not export" />
      <details className="menu" ref={menu} onBlur={closeOutside} onKeyDown={closeOnEscape}>
        <summary className="button">Export</summary>
        <div className="menu-items popover">
          {FORMATS.map(([format, words]) => (
            <button key={format} type="button" onClick={() => void save(format).catch(setFailed)}>
              {words}
            </button>
          ))}
        </div>
      </details>
    </>
  );
}

/** Close the menu when the focus leaves it. */
function closeOutside(event: FocusEvent<HTMLDetailsElement>): void {
  if (event.relatedTarget !== null && !event.currentTarget.contains(event.relatedTarget))
    event.currentTarget.open = false;
}

/** Close the menu on Esc, and keep the key from doing anything else. */
function closeOnEscape(event: KeyboardEvent<HTMLDetailsElement>): void {
  if (event.key !== "Escape" || !event.currentTarget.open) return;
  event.stopPropagation();
  event.currentTarget.open = false;
  event.currentTarget.querySelector("summary")?.focus();
}
