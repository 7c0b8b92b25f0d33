// How this page looks and tells, how the daemon fares, and what it was set to.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";

import { request, signOut, type ApiError } from "@/api/call-tool";
import { useTool } from "@/api/use-tool";
import { NotifySwitch } from "@/features/inbox/notifications/browser-notifications";
import { useConnection } from "@/live/live-connection";
import { useNow } from "@/ui/hooks/use-server-clock";
import { Refusal } from "@/ui/form";
import { Card, Segmented, Time } from "@/ui/basics";
import { Loaded } from "@/ui/query-states";
import type { Status } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";
import { bytes, count, plural, span } from "@/ui/format";
import { chooseTheme, chosenTheme, type Theme } from "@/ui/theme";
import "./settings.css";

const HERE: Status = { shape: "disc-check", tone: "success", word: "Installed" };
const NOT: Status = { shape: "ring-slash", tone: "muted", word: "Not installed" };
const FINE: Status = { shape: "disc-check", tone: "success", word: "In order" };
const LITTLE_ROOM: Status = { shape: "triangle", tone: "attention", word: "Little room" };
const LOST: Status = { shape: "ring-cross", tone: "danger", word: "Not connected" };
const LITTLE = 1024 ** 3;

interface DaemonStatus {
  version: string;
  pid: number;
  started_at: string;
  host: string;
  executions: number;
  events: number;
  database: string;
  database_bytes: number | null;
  free_bytes: number;
  settings_file: string;
  settings: { name: string; value: unknown; source: string; doc: string }[];
}

export function SettingsPage() {
  const status = useQuery<DaemonStatus, ApiError>({
    queryKey: ["status"],
    queryFn: async ({ signal }) => (await (await request("/api/status", { signal })).json()) as DaemonStatus,
    refetchInterval: 10_000,
    staleTime: 0,
  });
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
          <Card title="The daemon" aside="set in its settings file or its environment">
            <Loaded query={status} what="The daemon's settings could not be read" rows={8}>
              {(data) => <DaemonSettings status={data} />}
            </Loaded>
          </Card>
        </div>
        <div>
          <Card title="Health">
            <Loaded query={status} what="The daemon's health could not be read">
              {(data) => <Health status={data} />}
            </Loaded>
          </Card>
          <Clients />
        </div>
      </div>
    </div>
  );
}

function ThisBrowser() {
  const [theme, setTheme] = useState<Theme>(chosenTheme);
  const [problem, setProblem] = useState<Error | null>(null);
  const leave = () => signOut().catch(setProblem);
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
      <div className="setting">
        <span>
          This browser is signed in. <code>mission token rotate</code> signs out every browser.
        </span>
        <button type="button" className="button" onClick={() => void leave()}>
          Sign out
        </button>
      </div>
      <Refusal error={problem} what="This browser could not be signed out" />
    </Card>
  );
}

function Health({ status }: { status: DaemonStatus }) {
  const now = useNow();
  const connection = useConnection();
  const lost = connection.state === "lost";
  const little = status.free_bytes < LITTLE;
  const look = lost ? LOST : little ? LITTLE_ROOM : FINE;
  const facts: [string, React.ReactNode][] = [
    ["Version", status.version],
    ["Running for", span((now - Date.parse(status.started_at)) / 1_000)],
    ["Process", `${status.pid} on ${status.host}`],
    ["Launched agents", <Link to="/executions">{status.executions}</Link>],
    ["Last event", `#${count(status.events)}`],
    ["Database", status.database_bytes === null ? status.database : `${status.database}, ${bytes(status.database_bytes)}`],
    ["Room on disk", bytes(status.free_bytes)],
  ];
  return (
    <>
      <p className="health-line">
        <StatusIcon status={look} decorative /> <strong>{look.word}</strong>
        {lost && (
          <span className="quiet">
            since <Time at={new Date(connection.since).toISOString()} />. What stands here is from then.
          </span>
        )}
        {!lost && little && <span className="quiet">Free some space: writes will fail when there is none.</span>}
      </p>
      <dl className="facts">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p className="side-words">
        Silent agents and crash loops are told in the <Link to="/inbox">inbox</Link>. <code>mission doctor</code> checks the rest: programs,
        rights, clients.
      </p>
    </>
  );
}

function DaemonSettings({ status }: { status: DaemonStatus }) {
  const given = status.settings.filter((each) => each.source !== "default");
  const rest = status.settings.filter((each) => each.source === "default");
  return (
    <>
      {given.length > 0 && <SettingRows rows={given} />}
      <details className="defaults">
        <summary>{plural(rest.length, "setting")} at their defaults</summary>
        <SettingRows rows={rest} />
      </details>
      <p className="side-words">
        Change one in <code>{status.settings_file}</code>, then restart: <code>mission down && mission up --detach</code>
      </p>
    </>
  );
}

function SettingRows({ rows }: { rows: DaemonStatus["settings"] }) {
  return (
    <dl className="daemon-settings">
      {rows.map((each) => (
        <div key={each.name}>
          <dt>
            <code>{each.name}</code> <span className="meta">{each.doc}</span>
          </dt>
          <dd>
            <code>{each.value === "" || each.value === null ? "–" : String(each.value)}</code>{" "}
            {each.source !== "default" && <span className="meta">{each.source}</span>}
          </dd>
        </div>
      ))}
    </dl>
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
