// How this page looks and tells, and how the daemon fares.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { request, type ApiError } from "@/api/client";
import { useTool } from "@/api/queries";
import { NotifySwitch } from "@/features/inbox/notify";
import { Card, Segmented } from "@/ui/parts";
import { Loaded } from "@/ui/states";
import type { Status } from "@/ui/status";
import { StatusIcon } from "@/ui/status-icon";
import { chooseTheme, chosenTheme, type Theme } from "@/ui/theme";
import { flat } from "./flat";
import "./settings.css";

const HERE: Status = { shape: "disc-check", tone: "success", word: "Installed" };
const NOT: Status = { shape: "ring-slash", tone: "muted", word: "Not installed" };

export function SettingsPage() {
  return (
    <div className="page settings">
      <title>Settings · Mission Control</title>
      <div className="page-head">
        <h1>Settings</h1>
        <span className="quiet">and health</span>
      </div>
      <div className="columns">
        <div>
          <ThisBrowser />
          <Clients />
        </div>
        <div>
          <Health />
        </div>
      </div>
    </div>
  );
}

function ThisBrowser() {
  const [theme, setTheme] = useState<Theme>(chosenTheme);
  return (
    <Card title="This browser">
      <div className="setting">
        <span>Light or dark</span>
        <Segmented
          label="Light or dark"
          value={theme}
          choose={(value) => {
            chooseTheme(value);
            setTheme(value);
          }}
          options={[
            ["system", "As the system"],
            ["light", "Light"],
            ["dark", "Dark"],
          ]}
        />
      </div>
      <div className="setting">
        <span>A notification when something waits for you and this page is not in sight</span>
        <NotifySwitch />
      </div>
      <p className="side-words">
        The daemon's own settings stand in <code>settings.toml</code>; <code>mission config</code> shows each with where it comes from.
      </p>
    </Card>
  );
}

function Clients() {
  const adapters = useTool("adapter_list", {});
  return (
    <Card title="Clients that can be launched">
      <Loaded query={adapters} what="The clients could not be read">
        {(data) => (
          <ul className="side-list">
            {data.adapters.map((adapter) => (
              <li key={adapter.name}>
                <StatusIcon status={adapter.installed ? HERE : NOT} size={14} />
                <span>
                  {adapter.title} <span className="meta">{adapter.version ?? (adapter.installed ? "" : "not installed")}</span>
                </span>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  );
}

function Health() {
  const health = useQuery<Record<string, unknown>, ApiError>({
    queryKey: ["health"],
    queryFn: async ({ signal }) => (await (await request("/api/health", { signal })).json()) as Record<string, unknown>,
    refetchInterval: 10_000,
    staleTime: 0,
  });
  return (
    <Card title="Health">
      <Loaded query={health} what="The daemon's health could not be read">
        {(data) => (
          <dl className="facts health">
            {flat(data).map(([name, value]) => (
              <div key={name} style={{ display: "contents" }}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        )}
      </Loaded>
    </Card>
  );
}
