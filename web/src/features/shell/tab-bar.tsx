// On a narrow screen the sidebar is five tabs.
import { NavLink, useLocation } from "react-router";

import { Icon } from "@/ui/icons";
import { useWaitingCount } from "./use-overview";
import { PLACES } from "./navigation";

const TABS = 4;

export function TabBar() {
  const waiting = useWaitingCount();
  const { pathname } = useLocation();
  return (
    <nav className="tabbar" aria-label="Places">
      {PLACES.slice(0, TABS).map((place) => (
        <NavLink key={place.to} to={place.to} end={place.to === "/"}>
          <Icon name={place.icon} size={18} />
          {place.short ?? place.name}
          {place.to === "/inbox" && waiting > 0 && <span className="badge">{waiting}</span>}
        </NavLink>
      ))}
      <details key={pathname}>
        <summary>
          <Icon name="more" size={18} />
          More
        </summary>
        <div className="more popover">
          {[...PLACES.slice(TABS), { to: "/search", icon: "search" as const, name: "Search" }].map((place) => (
            <NavLink key={place.to} to={place.to}>
              <Icon name={place.icon} /> {place.name}
            </NavLink>
          ))}
        </div>
      </details>
    </nav>
  );
}
