// The first run: how to connect a client, and the first call as it arrives.
import { Link } from "react-router";

import { useOverview } from "@/features/shell/counts";
import { useConnection } from "@/live/live";
import { Card } from "@/ui/parts";
import { StatusIcon } from "@/ui/status-icon";
import "../agents/agents.css";

const CLIENTS = ["claude-code", "codex", "opencode", "copilot-cli", "gemini-cli", "cursor", "vscode"];
const DONE = { shape: "disc-check", tone: "success", word: "Done" } as const;
const WAITS = { shape: "dotted", tone: "muted", word: "Waiting" } as const;

export function WelcomePage() {
  const overview = useOverview().data;
  const connection = useConnection();
  const arrived = overview !== undefined && (overview.fleet.length > 0 || overview.missions_open > 0);
  return (
    <div className="page">
      <title>Welcome · Mission Control</title>
      <div className="page-head">
        <h1>Connect an agent</h1>
      </div>
      <Card title="1. Tell your client about Mission Control">
        <div className="statement">
          <p>One command writes its configuration, and says what it wrote:</p>
          <ul>
            {CLIENTS.map((client) => (
              <li key={client}>
                <code>mission setup {client}</code>
              </li>
            ))}
          </ul>
        </div>
      </Card>
      <Card title="2. Ask it for something">
        <div className="statement">
          <p>
            For instance: “Start a mission for this change, with a task for each step.” Its first call appears here by itself.
          </p>
        </div>
      </Card>
      <Card title="3. The first call">
        <div className="statement" role="status">
          <p>
            <StatusIcon status={arrived ? DONE : WAITS} />{" "}
            {arrived ? (
              <>
                It has arrived. <Link to="/">See what goes on</Link>
              </>
            ) : (
              `Waiting for it; ${connection.state === "live" ? "this page listens" : "not connected yet"}.`
            )}
          </p>
          <p className="quiet">
            No client at hand? <code>mission demo</code> plays a whole mission by itself.
          </p>
        </div>
      </Card>
    </div>
  );
}
