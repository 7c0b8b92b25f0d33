// How the page looks, and how the daemon is.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { request } from "@/api/client";
import { useTool } from "@/api/queries";
import { useConnection } from "@/live/live";
import { Card, Segmented } from "@/ui/parts";
import { Loaded } from "@/ui/states";
import { chooseTheme, chosenTheme, type Theme } from "@/ui/theme";
import "../agents/agents.css";

const THEMES = [
  ["system", "As the system"],
  ["light", "Light"],
  ["dark", "Dark"],
] as const;

export function SettingsPage() {
  const [theme, setTheme] = useState(chosenTheme());
  const change = (value: Theme) => {
    chooseTheme(value);
    setTheme(value);
  };
  return (
    <div className="page">
      <title>Settings · Mission Control</title>
      <div className="page-head">
        <h1>Settings</h1>
      </div>
      <Card title="This page">
        <dl className="facts">
          <dt>Colours</dt>
          <dd>
            <Segmented label="Colours" options={THEMES} value={theme} choose={change} />
          </dd>
          <dt>Keys</dt>
          <dd>
            <kbd>?</kbd> shows them
          </dd>
        </dl>
      </Card>
      <Health />
      <Clients />
      <Card title="Everything else">
        <dl className="facts">
          <dt>Settings</dt>
          <dd>
            <code>mission config</code> shows those in force and where they come from.
          </dd>
          <dt>Checks</dt>
          <dd>
            <code>mission doctor</code> looks whether all is in order.
          </dd>
          <dt>Sign out</dt>
          <dd>
            <code>mission token rotate</code> ends every session.
          </dd>
        </dl>
      </Card>
    </div>
  );
}

function Health() {
  const connection = useConnection();
  const health = useQuery<Record<string, unknown>, Error>({
    queryKey: ["health", connection.state],
    queryFn: async () => (await (await request("/api/health", {})).json()) as Record<string, unknown>,
  });
  return (
    <Card title="Daemon">
      <Loaded query={health} what="The daemon does not answer" rows={3}>
        {(data) => (
          <dl className="facts">
            {Object.entries(data).map(([name, value]) => (
              <div key={name} style={{ display: "contents" }}>
                <dt>{name}</dt>
                <dd>{typeof value === "object" ? JSON.stringify(value) : String(value)}</dd>
              </div>
            ))}
            <dt>connection</dt>
            <dd>{connection.state}</dd>
          </dl>
        )}
      </Loaded>
    </Card>
  );
}

function Clients() {
  const adapters = useTool("adapter_list", {});
  return (
    <Card title="Clients that can be launched">
      <Loaded query={adapters} what="The clients could not be read" rows={3}>
        {(data) => (
          <ul className="rows-of-two">
            {data.adapters.map((each) => (
              <li key={each.name}>
                <code>{each.name}</code>
                <span className="meta">{each.installed ? "found here" : "not found here"}</span>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  );
}
