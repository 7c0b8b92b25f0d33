// What the shapes and lines of the graph mean.
import { statusFor, TASK } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";
import type { Density } from "./layout/layout";

const STATES = [
  "proved",
  "unproved",
  "accepted",
  "checking",
  "working",
  "asks",
  "review",
  "ready",
  "waiting",
  "failed",
];

export function Legend({ density }: { density: Density }) {
  return (
    <footer className="legend meta">
      {STATES.map((word) => {
        const status = statusFor(TASK, word);
        return (
          <span key={word}>
            <StatusIcon status={status} size={14} decorative /> {status.word}
          </span>
        );
      })}
      <span className="lines">
        <Line className="critical" /> critical path
        {density !== "glyph" && (
          <>
            <Line className="met" /> done
            <Line className="awaited" /> pending
          </>
        )}
      </span>
    </footer>
  );
}

function Line({ className }: { className: string }) {
  return (
    <svg width="24" height="8" aria-hidden="true">
      <path d="M0 4h24" className={className} />
    </svg>
  );
}
