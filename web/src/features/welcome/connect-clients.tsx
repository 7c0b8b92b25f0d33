// The clients on the daemon's machine, each with its version and a way to connect it.
import { useQueryClient } from "@tanstack/react-query";

import type { ClientRow } from "@/api/types";
import { useTool } from "@/api/use-tool";
import { useOnline } from "@/live/live-connection";
import { Card, CopyableCommand } from "@/ui/basics";
import { DialogButton } from "@/ui/dialog";
import { Loaded } from "@/ui/query-states";
import type { Status } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";
import { ConnectForm } from "./connect-form";

const CONNECTED: Status = { shape: "disc-check", tone: "success", word: "Connected" };
const NOT_CONNECTED: Status = { shape: "ring", tone: "neutral", word: "Not connected" };
const BROKEN: Status = { shape: "triangle", tone: "attention", word: "Configuration unreadable" };

export function ConnectClients() {
  const clients = useTool("client_list", {});
  return (
    <Card title="1. Connect your client">
      <Loaded query={clients} what="clients" rows={3}>
        {(data) => <Clients clients={data.clients} />}
      </Loaded>
    </Card>
  );
}

function Clients({ clients }: { clients: readonly ClientRow[] }) {
  const installed = clients.filter((client) => client.path !== null);
  const missing = clients.filter((client) => client.path === null);
  return (
    <>
      {installed.length === 0 ? (
        <p className="side-words">
          No agent client was found on the PATH of the daemon's machine. Install one, or connect it from a shell where
          it can be found.
        </p>
      ) : (
        <ul className="lined" aria-label="Installed clients">
          {installed.map((client) => (
            <ClientLine key={client.name} client={client} />
          ))}
        </ul>
      )}
      {missing.length > 0 && (
        <p className="side-words">Not installed: {missing.map((client) => client.title).join(", ")}.</p>
      )}
      <details className="in-a-shell">
        <summary>Connect from a shell instead</summary>
        <CopyableCommand command={`mission setup ${installed[0]?.name ?? "claude-code"}`} />
        <CopyableCommand command="mission setup all --hooks" />
        <p className="side-words">
          <code>--scope project</code> connects only the project in the current folder; <code>--remove</code>{" "}
          disconnects a client. Any other client runs <code>mission mcp</code>.
        </p>
      </details>
    </>
  );
}

function ClientLine({ client }: { client: ClientRow }) {
  const online = useOnline();
  const queries = useQueryClient();
  const status = client.problem !== null ? BROKEN : client.connected ? CONNECTED : NOT_CONNECTED;
  return (
    <li className="client-line">
      <StatusIcon status={status} decorative />
      <div>
        <strong>{client.title}</strong> <span className="quiet">{client.version ?? ""}</span>
        <p className="meta">
          {status.word}
          {client.file !== null && (
            <>
              {" · "}
              <code>{client.file}</code>
            </>
          )}
        </p>
        {client.problem !== null && <p className="error">{client.problem}</p>}
      </div>
      <DialogButton
        word={client.connected ? "Check again…" : "Connect…"}
        titled={`connect-${client.name}`}
        off={!online || client.problem !== null}
        variant={client.connected ? "small" : "primary small"}
      >
        {(close) => (
          <ConnectForm
            client={client}
            close={close}
            connected={() => void queries.invalidateQueries({ queryKey: ["client_list"] })}
          />
        )}
      </DialogButton>
    </li>
  );
}
