// The state of the connection: a line in the sidebar, and a notice while it is lost and after it is back.
import { live, useConnection } from "@/live/live-connection";
import { count, plural } from "@/ui/format";
import { useNow } from "@/ui/hooks/use-server-clock";
import { StatusIcon } from "@/ui/status/status-icon";

const LIVE = { shape: "disc-check", tone: "success", word: "Live" } as const;
const LOST = { shape: "ring-cross", tone: "danger", word: "Not connected" } as const;
const CONNECTING = { shape: "dotted", tone: "muted", word: "Connecting" } as const;
const STATUS = { live: LIVE, lost: LOST, connecting: CONNECTING };

export function ConnectionLine() {
  const connection = useConnection();
  const status = STATUS[connection.state];
  return (
    <div className="connection" data-connection={connection.state}>
      <StatusIcon status={status} size={14} decorative />
      {status.word}
      {connection.state !== "connecting" && (
        <span className="seq" title="Last event number">
          #{count(connection.seq)}
        </span>
      )}
    </div>
  );
}

export function ConnectionNotice() {
  const connection = useConnection();
  if (connection.state === "lost") return <ConnectionLost since={connection.since} retryAt={connection.retryAt} />;
  if (connection.state === "live" && connection.caughtUp !== null) {
    return (
      <div className="notice" role="status">
        <StatusIcon status={LIVE} decorative />
        <span>
          <strong>Caught up.</strong> {plural(connection.caughtUp, "event")} arrived while you were disconnected.
          Nothing is missing.
        </span>
      </div>
    );
  }
  return null;
}

function ConnectionLost({ since, retryAt }: { since: number; retryAt: number }) {
  useNow();
  const seconds = Math.max(0, Math.ceil((retryAt - Date.now()) / 1_000));
  const time = new Date(since).toTimeString().slice(0, 8);
  return (
    <div className="notice" role="status">
      <StatusIcon status={LOST} decorative />
      <span>
        <strong>Not connected since {time}.</strong> This page shows the last known state.{" "}
        {seconds > 0 ? `Retrying in ${seconds} s.` : "Retrying now."}
      </span>
      <button type="button" className="button small" onClick={live.tryNow}>
        Retry now
      </button>
    </div>
  );
}
