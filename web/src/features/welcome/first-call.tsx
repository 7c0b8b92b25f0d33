// The first call of a client, as it arrives.
import { useCallback } from "react";
import { Link } from "react-router";

import { useRecentCalls } from "@/features/shell/use-recent-calls";
import { useEvents } from "@/live/live-connection";
import { Ago, Card } from "@/ui/basics";
import { Loaded } from "@/ui/query-states";
import type { Status } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";

const OURS = ["cli", "launch"];
const WAITING: Status = { shape: "dotted", tone: "muted", word: "Waiting" };
const CAME: Status = { shape: "disc-check", tone: "success", word: "Received" };

export function FirstCall() {
  const calls = useRecentCalls({ limit: 200, except_transport: "page" });
  const { refetch } = calls.query;
  useEvents(useCallback(() => void refetch(), [refetch])); // calls that change something are shown at once
  return (
    <Card title="3. See its first call">
      <Loaded query={calls.query} what="calls" rows={1}>
        {() => {
          const newest = calls.entries.find((entry) => !OURS.includes(entry.transport));
          return (
            <div className="first-call" role="status">
              <StatusIcon status={newest === undefined ? WAITING : CAME} decorative />
              {newest === undefined ? (
                <span>No calls yet. The first one appears here.</span>
              ) : (
                <span>
                  <code>{newest.tool}</code> by {newest.caller} over {newest.transport}, <Ago at={newest.at} />.{" "}
                  <Link to="/">See what it is doing</Link>
                </span>
              )}
            </div>
          );
        }}
      </Loaded>
    </Card>
  );
}
