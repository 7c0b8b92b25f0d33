// Getting started: how to connect a client, and its first call as it arrives.
import { Link } from "react-router";

import { useRecentCalls } from "@/features/shell/use-recent-calls";
import { Ago, Card } from "@/ui/basics";
import { Loaded } from "@/ui/query-states";
import type { Status } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";
import "./welcome.css";

const LINES: [string, string][] = [
  ["mission setup claude-code", "Claude Code, for all your projects"],
  ["mission setup codex --scope project", "Codex, only for the project in this folder"],
  ["mission setup all --hooks", "every installed client, with hooks"],
  ["mission setup", "list clients and show which are connected"],
];
const OURS = ["cli", "launch"];
const WAITING: Status = { shape: "dotted", tone: "muted", word: "Waiting" };
const CAME: Status = { shape: "disc-check", tone: "success", word: "Received" };

export function WelcomePage() {
  return (
    <div className="page welcome">
      <title>Connect an agent · Mission Control</title>
      <div className="page-head">
        <h1>Connect an agent</h1>
      </div>
      <Card title="1. Connect your client">
        <p className="side-words">
          Run one of these in a shell. The setup shows its changes before applying them, then tests the connection.
        </p>
        <dl className="lines">
          {LINES.map(([line, why]) => (
            <div key={line}>
              <dt>
                <code>{line}</code>
              </dt>
              <dd className="quiet">{why}</dd>
            </div>
          ))}
        </dl>
      </Card>
      <Card title="2. Put it to work">
        <p className="side-words">
          Restart the client and ask, for example: “Plan this as a mission with Mission Control, then do it.” Or watch
          the demo: <code>mission demo</code>
        </p>
      </Card>
      <FirstCall />
    </div>
  );
}

function FirstCall() {
  const calls = useRecentCalls({ limit: 200, except_transport: "page" });
  return (
    <Card title="3. See its first call">
      <Loaded query={calls.query} what="calls" rows={1}>
        {() => {
          const newest = calls.entries.find((entry) => !OURS.includes(entry.transport));
          return (
            <div className="first-call" role="status">
              <StatusIcon status={newest === undefined ? WAITING : CAME} decorative />
              {newest === undefined ? (
                <span>No calls yet. Checking every 3 seconds.</span>
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
