// Settings of this browser, health of the daemon, and its settings.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";

import { type ApiError, request, signOut } from "@/api/call-tool";
import { useTool } from "@/api/use-tool";
import { NotificationSwitch } from "@/features/shell/notifications/browser-notifications";
import { useConnection } from "@/live/live-connection";
import { Card, Segmented, Time } from "@/ui/basics";
import { ErrorMessage } from "@/ui/form";
import { bytes, count, plural, span } from "@/ui/format";
import { useNow } from "@/ui/hooks/use-server-clock";
import { Loaded } from "@/ui/query-states";
import type { Status } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";
import { chooseTheme, chosenTheme, type Theme } from "@/ui/theme";
import "./settings.css";

const HERE: Status = { shape: "disc-check", tone: "success", word: "Installed" };
const NOT: Status = { shape: "ring-slash", tone: "muted", word: "Not installed" };
const FINE: Status = { shape: "disc-check", tone: "success", word: "Healthy" };
const LOW_SPACE: Status = { shape: "triangle", tone: "attention", word: "Low disk space" };
const FAILED_CALLS: Status = { shape: "octagon", tone: "danger", word: "Internal errors" };
const LOST: Status = { shape: "ring-cross", tone: "danger", word: "Not connected" };
const MIN_FREE = 1024 ** 3;

export interface DaemonStatus {
  version: string;
  pid: number;
  started_at: string;
  host: string;
  executions: number;
  events: number;
  database: string;
  database_bytes: number | null;
  free_bytes: number;
  internal_errors: { total: number; entry_id: string; tool: string; at: string } | null;
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
          <Card title="Daemon" aside="set in the settings file or the environment">
            <Loaded query={status} what="the daemon's settings" rows={8}>
              {(data) => <DaemonSettings status={data} />}
            </Loaded>
          </Card>
        </div>
        <div>
          <Card title="Health">
            <Loaded query={status} what="the daemon's health">
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
        <span>Theme</span>
        <Segmented
          label="Theme"
          value={theme}
          choose={(value) => {
            chooseTheme(value);
            setTheme(value);
          }}
          options={[
            ["system", "System"],
            ["light", "Light"],
            ["dark", "Dark"],
          ]}
        />
      </div>
      <div className="setting">
        <span>Notifications for new inbox items while this page is hidden</span>
        <NotificationSwitch />
      </div>
      <div className="setting">
        <span>
          This browser is signed in. <code>mission token rotate</code> signs out every browser.
        </span>
        <button type="button" className="button" onClick={() => void leave()}>
          Sign out
        </button>
      </div>
      <ErrorMessage error={problem} what="Could not sign out" />
    </Card>
  );
}

export function Health({ status }: { status: DaemonStatus }) {
  const now = useNow();
  const connection = useConnection();
  const lost = connection.state === "lost";
  const little = status.free_bytes < MIN_FREE;
  const failed = status.internal_errors;
  const health = lost ? LOST : little ? LOW_SPACE : failed !== null ? FAILED_CALLS : FINE;
  const facts: [string, React.ReactNode][] = [
    ["Version", status.version],
    ["Running for", span((now - Date.parse(status.started_at)) / 1_000)],
    ["Process", `${status.pid} on ${status.host}`],
    [
      "Launched agents",
      <Link key="executions" to="/executions">
        {status.executions}
      </Link>,
    ],
    ["Last event", `#${count(status.events)}`],
    [
      "Database",
      status.database_bytes === null ? status.database : `${status.database}, ${bytes(status.database_bytes)}`,
    ],
    ["Free disk space", bytes(status.free_bytes)],
  ];
  return (
    <>
      <p className="health-line">
        <StatusIcon status={health} decorative /> <strong>{health.word}</strong>
        {lost && (
          <span className="quiet">
            since <Time at={new Date(connection.since).toISOString()} />. This information is from that time.
          </span>
        )}
        {!lost && little && <span className="quiet">Free up disk space before writes fail.</span>}
      </p>
      {failed !== null && (
        <p className="side-words">
          {plural(failed.total, "internal error")} in the last 24 hours, the newest at <Time at={failed.at} /> in{" "}
          <code>{failed.tool}</code>. <Link to="/audit?status=error">Show failed calls</Link>, or run{" "}
          <code>mission audit {failed.entry_id}</code>.
        </p>
      )}
      <dl className="facts">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p className="side-words">
        Silent agents and crash loops appear in the <Link to="/inbox">inbox</Link>. Run <code>mission doctor</code> to
        check programs, permissions and clients.
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
        <summary>{plural(rest.length, "default setting")}</summary>
        <SettingRows rows={rest} />
      </details>
      <p className="side-words">
        To change a setting, edit <code>{status.settings_file}</code> and restart:{" "}
        <code>mission down && mission up --detach</code>
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
    <Card title="Clients">
      <Loaded query={adapters} what="clients">
        {(data) => (
          <ul className="side-list">
            {data.adapters.map((adapter) => (
              <li key={adapter.name}>
                <StatusIcon status={adapter.installed ? HERE : NOT} size={14} />
                <span>
                  {adapter.title}{" "}
                  <span className="meta">{adapter.version ?? (adapter.installed ? "" : "not installed")}</span>
                </span>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  );
}
