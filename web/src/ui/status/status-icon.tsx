// The icon of a state, and a pill that shows it next to its word.
import { memo, type ReactNode } from "react";

import { describeFailedAttempts } from "../format";
import type { Shape, Status } from "./status";

const CHECK = <path d="M5.2 8.3l1.9 1.9 3.7-4" className="mark" />;
const CROSS = <path d="M5.9 5.9l4.2 4.2M10.1 5.9l-4.2 4.2" className="mark" />;
const QUESTION = (
  <>
    <path d="M6.6 6.6c0-.8.6-1.4 1.4-1.4s1.4.6 1.4 1.3c0 1-1.4 1.1-1.4 2.1" className="mark" />
    <circle cx="8" cy="10.6" r=".75" className="dot" />
  </>
);
const DIAMOND = <rect x="3.2" y="3.2" width="9.6" height="9.6" rx="1.6" transform="rotate(45 8 8)" className="fill" />;
const RING = <circle cx="8" cy="8" r="5.6" className="line" />;

const SHAPES: Record<Shape, ReactNode> = {
  "ring-dot": (
    <>
      {RING}
      <circle cx="8" cy="8" r="2" className="fill" />
    </>
  ),
  half: (
    <>
      {RING}
      <path d="M8 4.6a3.4 3.4 0 010 6.8z" className="fill" />
    </>
  ),
  "dashed-check": (
    <>
      <circle cx="8" cy="8" r="5.8" className="line dashed" />
      <path d="M5.6 8.2l1.7 1.7 3.1-3.5" className="line" />
    </>
  ),
  "diamond-question": (
    <>
      {DIAMOND}
      {QUESTION}
    </>
  ),
  "diamond-check": (
    <>
      {DIAMOND}
      {CHECK}
    </>
  ),
  "diamond-pause": (
    <>
      {DIAMOND}
      <path d="M6.7 6v4M9.3 6v4" className="mark" />
    </>
  ),
  "diamond-up": (
    <>
      {DIAMOND}
      <path d="M8 10.6V5.6M6 7.5l2-2 2 2" className="mark" />
    </>
  ),
  diamond: <rect x="4" y="4" width="8" height="8" rx="1" transform="rotate(45 8 8)" className="line" />,
  triangle: (
    <>
      <path d="M8 2.2l6.3 11.2H1.7z" className="fill round" />
      <path d="M8 6.4v3" className="mark" />
      <circle cx="8" cy="11.4" r=".8" className="dot" />
    </>
  ),
  "disc-check": (
    <>
      <circle cx="8" cy="8" r="6.2" className="fill" />
      {CHECK}
    </>
  ),
  "disc-person": (
    <>
      <circle cx="8" cy="8" r="6.2" className="fill" />
      <circle cx="8" cy="6.3" r="1.7" className="dot" />
      <path d="M4.9 11.2c.3-1.6 1.5-2.5 3.1-2.5s2.8.9 3.1 2.5" className="mark" />
    </>
  ),
  "half-disc": (
    <>
      {RING}
      <path d="M2.4 8a5.6 5.6 0 0011.2 0z" className="fill" />
    </>
  ),
  octagon: (
    <>
      <path d="M5.4 1.8h5.2l3.6 3.6v5.2l-3.6 3.6H5.4l-3.6-3.6V5.4z" className="fill" />
      {CROSS}
    </>
  ),
  "ring-cross": (
    <>
      {RING}
      <path d="M6 6l4 4M10 6l-4 4" className="line" />
    </>
  ),
  "dashed-cross": (
    <>
      <circle cx="8" cy="8" r="5.8" className="line dashed" />
      <path d="M6 6l4 4M10 6l-4 4" className="line" />
    </>
  ),
  dotted: <circle cx="8" cy="8" r="5.6" className="line dotted" />,
  ring: RING,
  "ring-pause": (
    <>
      {RING}
      <path d="M6.6 6v4M9.4 6v4" className="line" />
    </>
  ),
  "ring-slash": (
    <>
      {RING}
      <path d="M4.3 11.7l7.4-7.4" className="line" />
    </>
  ),
  square: <rect x="3" y="3" width="10" height="10" rx="1.5" className="line" />,
};

interface IconProps {
  status: Status;
  size?: number;
  /** Hidden from screen readers, because its word is next to it. */
  decorative?: boolean;
}

export const StatusIcon = memo(function StatusIcon({ status, size = 16, decorative = false }: IconProps) {
  const named = decorative ? { "aria-hidden": true } : { role: "img", "aria-label": status.word };
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: it has a title unless it is decorative, and then it is hidden
    <svg className={`glyph tone-${status.tone}`} width={size} height={size} viewBox="0 0 16 16" {...named}>
      {!decorative && <title>{status.word}</title>}
      {SHAPES[status.shape]}
    </svg>
  );
});

/** Show the bare shape inside another drawing. */
export function Glyph({ shape }: { shape: Shape }) {
  return <>{SHAPES[shape]}</>;
}

export function StatusPill({ status }: { status: Status }) {
  return (
    <span className={`pill tone-${status.tone}`}>
      <StatusIcon status={status} size={14} decorative />
      {status.word}
    </span>
  );
}

/** Show how many attempts at a task failed, if any. */
export function FailedAttempts({ of }: { of: { failed_attempts: number } }) {
  return of.failed_attempts > 0 ? (
    <span className="failed-attempts">{describeFailedAttempts(of.failed_attempts)}</span>
  ) : null;
}
