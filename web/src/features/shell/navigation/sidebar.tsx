// Search, the pages with their counts, open missions with their progress, the agents, and the connection.
import { type FormEvent, useRef } from "react";
import { Link, NavLink, useLocation, useNavigate } from "react-router";

import { count } from "@/ui/format";
import { Icon } from "@/ui/icons";
import { ProgressBar } from "@/ui/status/progress-bar";
import { AGENT, QUEUE, statusFor } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";
import { ConnectionLine } from "../connection-status";
import { openPalette } from "../palette/open-palette";
import {
  describeAgent,
  useAgentLink,
  useInboxCount,
  useLiveExecutions,
  useLiveRuns,
  useOverview,
} from "../use-overview";
import { PAGES } from "./navigation";

const MAX_MISSIONS = 8;
const KEYS = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘K" : "Ctrl K";

export function Sidebar() {
  const { data } = useOverview();
  const waiting = useInboxCount();
  const { pathname } = useLocation(); // Now shows the fleet itself
  const numbers: Record<string, number | undefined> = {
    "/runs": useLiveRuns().data?.runs.length,
    "/executions": useLiveExecutions(),
    "/missions": data?.missions_open,
    "/agents": data?.fleet.length,
  };
  return (
    <nav className="sidebar" aria-label="Main">
      <Link to="/" className="brand">
        <Icon name="logo" size={18} /> Mission Control
      </Link>
      <SearchField />
      <ul>
        {PAGES.map((place) => (
          <li key={place.to}>
            <NavLink to={place.to} end={place.to === "/"} className="nav-link">
              <Icon name={place.icon} />
              {place.name}
              {place.to === "/inbox" && waiting > 0 && (
                <span className="badge tone-attention">
                  <StatusIcon status={QUEUE.question!} size={12} decorative /> {count(waiting)}
                </span>
              )}
              {(numbers[place.to] ?? 0) > 0 && <span className="badge">{count(numbers[place.to]!)}</span>}
            </NavLink>
          </li>
        ))}
      </ul>
      {data !== undefined && data.missions.length > 0 && (
        <>
          <h2 className="side-title">Open missions</h2>
          <ul>
            {data.missions.slice(0, MAX_MISSIONS).map((mission) => (
              <li key={mission.id}>
                <NavLink to={`/missions/${mission.id}`} className="side-mission" title={mission.name}>
                  <span className="name cut">{mission.name}</span>
                  <ProgressBar counts={mission.tasks} />
                </NavLink>
              </li>
            ))}
          </ul>
          {data.missions_open > MAX_MISSIONS && (
            <Link to="/missions" className="side-mission meta">
              {count(data.missions_open - MAX_MISSIONS)} more
            </Link>
          )}
        </>
      )}
      <div className="side-foot">
        {data !== undefined && data.fleet.length > 0 && pathname !== "/" && <Fleet />}
        <a className="side-mission meta" href="/docs/" target="_blank" rel="noreferrer">
          Docs
        </a>
        <ConnectionLine />
      </div>
    </nav>
  );
}

function Fleet() {
  const fleet = useOverview().data?.fleet ?? [];
  const place = useAgentLink();
  const atWork = fleet.filter((agent) => agent.state === "at_work").length;
  return (
    <>
      <h2 className="side-title">
        Fleet{" "}
        <span>
          {atWork} of {fleet.length} at work
        </span>
      </h2>
      <ul className="fleet-strip">
        {fleet.map((agent) => {
          const status = statusFor(AGENT, agent.state);
          const words = describeAgent(agent);
          return (
            <li key={agent.id}>
              <Link to={place(agent.id)} title={words} aria-label={words}>
                <StatusIcon status={status} size={14} decorative />
              </Link>
            </li>
          );
        })}
      </ul>
    </>
  );
}

function SearchField() {
  const field = useRef<HTMLInputElement>(null);
  const navigate = useNavigate();
  const search = (event: FormEvent) => {
    event.preventDefault();
    const text = field.current?.value.trim() ?? "";
    if (text !== "") void navigate(`/search?q=${encodeURIComponent(text)}`);
  };
  return (
    <form className="search" role="search" aria-label="Quick search" onSubmit={search}>
      <Icon name="search" />
      <input
        ref={field}
        className="field"
        type="search"
        placeholder="Search"
        aria-label="Search everything"
        data-search
      />
      <button type="button" className="open-palette" aria-label={`Command palette, ${KEYS}`} onClick={openPalette}>
        <kbd>{KEYS}</kbd>
      </button>
    </form>
  );
}
