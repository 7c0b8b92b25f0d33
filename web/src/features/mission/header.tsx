// What the mission is, and what can be done with it as a whole.
import { useRef } from "react";
import { Link } from "react-router";

import { call } from "@/api/client";
import { useAction } from "@/api/queries";
import type { MissionOverview } from "@/api/types";
import { useOnline } from "@/live/live";
import { Icon } from "@/ui/icons";
import { Id } from "@/ui/parts";
import { look, MISSION } from "@/ui/status";
import { StatusPill } from "@/ui/status-icon";

const ENDED = new Set(["completed", "partial", "failed", "abandoned"]);
const FORMATS = [
  ["markdown", "Markdown"],
  ["html", "HTML"],
  ["json", "JSON"],
] as const;

export function Header({ mission }: { mission: MissionOverview }) {
  const online = useOnline();
  const update = useAction("workflow_update_status");
  const archive = useAction("mission_archive");
  const paused = mission.status === "paused" || mission.status === "blocked";
  const ended = ENDED.has(mission.status);
  const error = update.error ?? archive.error;
  return (
    <header className="mission-head">
      <nav className="crumbs meta" aria-label="Where this is">
        <Link to="/missions">Missions</Link>
        {mission.repository_path !== null && (
          <>
            <Icon name="chevron" size={10} />
            <span title={mission.repository_path}>{mission.repository_path.split("/").filter(Boolean).slice(-2).join("/")}</span>
          </>
        )}
        <Icon name="chevron" size={10} />
        <Id id={mission.id} />
      </nav>
      <div className="page-head">
        <h1>{mission.name}</h1>
        <StatusPill status={look(MISSION, mission.status)} />
        <div className="actions">
          <ExportMenu mission={mission} />
          {!ended && mission.status !== "planning" && (
            <button
              type="button"
              className="button"
              disabled={!online || update.isPending}
              onClick={() => update.mutate({ id: mission.id, status: paused ? "in_progress" : "paused" })}
            >
              <Icon name={paused ? "play" : "pause"} />
              {paused ? "Go on" : "Pause"}
            </button>
          )}
          {ended && (
            <button
              type="button"
              className="button"
              disabled={!online || archive.isPending}
              onClick={() => archive.mutate({ mission_id: mission.id, archived: mission.archived_at === null })}
            >
              {mission.archived_at === null ? "Archive" : "Bring back"}
            </button>
          )}
        </div>
      </div>
      {mission.objective !== mission.name && <p className="quiet objective">{mission.objective}</p>}
      {mission.summary !== null && <p className="objective">{mission.summary}</p>}
      {error !== null && (
        <p className="wrong" role="alert">
          {error.message} {error.hint}
        </p>
      )}
    </header>
  );
}

function ExportMenu({ mission }: { mission: MissionOverview }) {
  const menu = useRef<HTMLDetailsElement>(null);
  const save = async (format: (typeof FORMATS)[number][0]) => {
    menu.current?.removeAttribute("open");
    const made = await call("mission_export", { mission_id: mission.id, format });
    const address = URL.createObjectURL(new Blob([made.content], { type: made.media_type }));
    const link = document.createElement("a");
    link.href = address;
    link.download = made.filename;
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  };
  return (
    <details className="menu" ref={menu}>
      <summary className="button">Export</summary>
      <div className="menu-items">
        {FORMATS.map(([format, words]) => (
          <button key={format} type="button" onClick={() => void save(format)}>
            {words}
          </button>
        ))}
      </div>
    </details>
  );
}
