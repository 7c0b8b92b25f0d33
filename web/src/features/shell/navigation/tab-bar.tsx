// Replaces the sidebar with five tabs on a narrow screen.
import { NavLink, useLocation } from "react-router";

import { Icon } from "@/ui/icons";
import { openPalette } from "../palette/open-palette";
import { useInboxCount } from "../use-overview";
import { PAGES } from "./navigation";

const TABS = 4;

export function TabBar() {
  const waiting = useInboxCount();
  const { pathname } = useLocation();
  return (
    <nav className="tabbar" aria-label="Pages">
      {PAGES.slice(0, TABS).map((place) => (
        <NavLink key={place.to} to={place.to} end={place.to === "/"}>
          <Icon name={place.icon} size={18} />
          {place.name}
          {place.to === "/inbox" && waiting > 0 && <span className="badge">{waiting}</span>}
        </NavLink>
      ))}
      <details key={pathname}>
        <summary>
          <Icon name="more" size={18} />
          More
        </summary>
        <div className="more popover">
          <button type="button" onClick={openPalette}>
            <Icon name="search" /> Jump to…
          </button>
          {[...PAGES.slice(TABS), { to: "/search", icon: "search" as const, name: "Search" }].map((place) => (
            <NavLink key={place.to} to={place.to}>
              <Icon name={place.icon} /> {place.name}
            </NavLink>
          ))}
          <a href="/docs/" target="_blank" rel="noreferrer">
            <Icon name="templates" /> Docs
          </a>
        </div>
      </details>
    </nav>
  );
}
