// Icons drawn with thin lines in the color of the text around them.
import type { ReactNode } from "react";

const PATHS = {
  logo: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <circle cx="8" cy="8" r="1.6" fill="currentColor" />
      <path d="M8 .8v3.4M8 11.8v3.4M.8 8h3.4M11.8 8h3.4" />
    </>
  ),
  search: (
    <>
      <circle cx="7" cy="7" r="4.5" />
      <path d="M10.5 10.5L14 14" />
    </>
  ),
  now: <path d="M1 8.5h3l2-5 3.5 9 2-4H15" />,
  inbox: <path d="M2 9.5l1.6-6h8.8l1.6 6v3.5H2zM2 9.5h3.5l.8 1.7h3.4l.8-1.7H14" />,
  missions: <path d="M3.5 14.5v-12M3.5 3h9l-2 3 2 3h-9" />,
  runs: (
    <>
      <circle cx="3.4" cy="8" r="1.8" />
      <circle cx="12.6" cy="8" r="1.8" />
      <path d="M5.2 8h5.6M8.2 5.4L10.8 8l-2.6 2.6" />
    </>
  ),
  executions: <path d="M1.8 2.8h12.4v10.4H1.8zM4.5 6l2 2-2 2M8.3 10.3h3" />,
  agents: (
    <>
      <circle cx="6" cy="5.4" r="2.4" />
      <path d="M1.6 13.4c0-2.6 1.9-4.2 4.4-4.2s4.4 1.6 4.4 4.2M10.6 3.2a2.4 2.4 0 010 4.5M12 9.6c1.5.6 2.5 1.9 2.5 3.8" />
    </>
  ),
  workspaces: (
    <>
      <circle cx="4.2" cy="3.6" r="1.7" />
      <circle cx="4.2" cy="12.4" r="1.7" />
      <circle cx="11.8" cy="5" r="1.7" />
      <path d="M4.2 5.3v5.4M11.8 6.7c0 2.2-3.4 2.4-6.4 4.2" />
    </>
  ),
  costs: (
    <path d="M8 1.5v13M11 4.5c-.6-1-1.700-1.500-3-1.500-1.700 0-3 .9-3 2.300 0 3.200 6.300 1.700 6.300 5 0 1.500-1.400 2.500-3.300 2.500-1.600 0-2.900-.7-3.400-1.900" />
  ),
  templates: <path d="M2.2 2.8h11.6v10.4H2.2zM2.2 6.2h11.6M6.4 6.2v7" />,
  audit: <path d="M2 3.5h12M2 8h9M2 12.5h12" />,
  settings: (
    <>
      <circle cx="8" cy="8" r="2.2" />
      <path d="M8 1.5v2M8 12.5v2M1.5 8h2M12.5 8h2M3.4 3.4l1.4 1.4M11.2 11.2l1.4 1.4M3.4 12.6l1.4-1.4M11.2 4.8l1.4-1.4" />
    </>
  ),
  more: (
    <g fill="currentColor" stroke="none">
      <circle cx="3.2" cy="8" r="1.2" />
      <circle cx="8" cy="8" r="1.2" />
      <circle cx="12.8" cy="8" r="1.2" />
    </g>
  ),
  plus: <path d="M8 2.5v11M2.5 8h11" />,
  pause: (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="M6.5 5.8v4.4M9.5 5.8v4.4" />
    </>
  ),
  play: (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="M6.7 5.5v5l4-2.5z" />
    </>
  ),
  chevron: <path d="M6 3.5L10.5 8 6 12.5" />,
  down: <path d="M3.5 6L8 10.5 12.5 6" />,
  close: <path d="M3.5 3.5l9 9M12.5 3.5l-9 9" />,
  decision: <path d="M2.5 13.5V9.8c0-3.2 2-5 5-5h5.5M10 1.8l3 3-3 3M2.5 2v4" />,
  sun: (
    <>
      <circle cx="8" cy="8" r="3" />
      <path d="M8 1v1.8M8 13.2V15M1 8h1.8M13.2 8H15M3 3l1.3 1.3M11.7 11.7L13 13M3 13l1.3-1.3M11.7 4.3L13 3" />
    </>
  ),
} satisfies Record<string, ReactNode>;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      {PATHS[name]}
    </svg>
  );
}
