// Entries that the page knows itself: pages, settings, and actions on what is shown now.
import { useMemo } from "react";

import { useAction, useTool } from "@/api/use-tool";
import { QUEUE, statusFor } from "@/ui/status/status";
import { chooseTheme, type Theme } from "@/ui/theme";
import { PAGES } from "../navigation/navigation";
import { useInbox, useLiveRuns, useOverview } from "../use-overview";
import type { Entry } from "./entry";

/** A form that the palette opens in a dialog of its own. */
export type FormName = "mission" | "launch" | "run";

const THEMES: [Theme, string][] = [
  ["light", "Use the light theme"],
  ["dark", "Use the dark theme"],
  ["system", "Use the system's theme"],
];
const SETTINGS: Entry[] = [
  { id: "setting-theme", name: "Theme", kind: "setting", icon: "settings", to: "/settings" },
  { id: "setting-notifications", name: "Notifications", kind: "setting", icon: "settings", to: "/settings" },
  { id: "setting-clients", name: "Clients", kind: "setting", icon: "settings", to: "/settings" },
  { id: "setting-health", name: "Health", kind: "setting", icon: "settings", to: "/settings" },
];
const MORE_PAGES: Entry[] = [
  { id: "page-search", name: "Search", kind: "page", icon: "search", to: "/search" },
  { id: "page-welcome", name: "Connect an agent", kind: "page", icon: "agents", to: "/welcome" },
];

interface OwnEntries {
  /** What needs you most, for an empty palette. */
  first: Entry[];
  /** Everything else, found by typing. */
  rest: Entry[];
}

export function useOwnEntries(open: (form: FormName) => void): OwnEntries {
  const first = useTopQuestion();
  const runs = useRunActions();
  const missions = useMissionActions();
  return useMemo(() => {
    const pages = PAGES.map(({ to, icon, name }): Entry => ({ id: `page-${to}`, name, kind: "page", icon, to }));
    const actions: Entry[] = [
      { id: "act-run", name: "Run agents on ready tasks…", kind: "action", icon: "play", act: () => open("run") },
      { id: "act-launch", name: "Launch an agent…", kind: "action", icon: "play", act: () => open("launch") },
      { id: "act-mission", name: "New mission…", kind: "action", icon: "plus", act: () => open("mission") },
    ];
    const themes = THEMES.map(
      ([theme, name]): Entry => ({
        id: `theme-${theme}`,
        name,
        kind: "setting",
        icon: "sun",
        act: () => chooseTheme(theme),
      }),
    );
    return { first, rest: [...actions, ...pages, ...MORE_PAGES, ...runs, ...missions, ...SETTINGS, ...themes] };
  }, [first, runs, missions, open]);
}

function useTopQuestion(): Entry[] {
  const top = useInbox().data?.items[0];
  return useMemo(() => {
    if (top === undefined) return [];
    const icon = statusFor(QUEUE, top.kind);
    return [
      { id: "act-answer", name: "Answer", detail: top.subject, kind: "action", icon, to: `/inbox?item=${top.id}` },
    ];
  }, [top]);
}

/** Offer to pause and resume runs that are under way, and to land those that ended. */
function useRunActions(): Entry[] {
  const live = useLiveRuns().data?.runs;
  const ended = useTool("run_list", { state: ["finished"], limit: 20 }).data?.runs;
  const { mutate: pause } = useAction("run_pause");
  const { mutate: resume } = useAction("run_resume");
  return useMemo(() => {
    const steer = (live ?? []).map(({ run_id, mission_name, state }): Entry => {
      const paused = state === "paused";
      return {
        id: `steer-${run_id}`,
        name: `${paused ? "Resume" : "Pause"} run`,
        detail: mission_name,
        kind: "action",
        icon: paused ? "play" : "pause",
        act: () => (paused ? resume : pause)({ run_id }),
      };
    });
    const land = (ended ?? [])
      .filter((run) => !run.landed)
      .map(
        ({ run_id, mission_name }): Entry => ({
          id: `land-${run_id}`,
          name: "Land run…",
          detail: mission_name,
          kind: "action",
          icon: "runs",
          to: `/runs/${run_id}?land=1`,
        }),
      );
    return [...steer, ...land];
  }, [live, ended, pause, resume]);
}

/** Offer to pause and resume open missions. */
function useMissionActions(): Entry[] {
  const missions = useOverview().data?.missions;
  const { mutate: update } = useAction("workflow_update_status");
  return useMemo(
    () =>
      (missions ?? [])
        .filter(({ status }) => status === "in_progress" || status === "paused")
        .map(({ id, name, status }): Entry => {
          const paused = status === "paused";
          return {
            id: `steer-${id}`,
            name: `${paused ? "Resume" : "Pause"} mission`,
            detail: name,
            kind: "action",
            icon: paused ? "play" : "pause",
            act: () => update({ id, status: paused ? "in_progress" : "paused" }),
          };
        }),
    [missions, update],
  );
}
