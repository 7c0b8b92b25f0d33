// How the connection stands: a line in the sidebar, a notice when it is lost or was.
import { live, useConnection } from "@/live/live-connection";
import { useNow } from "@/ui/hooks/use-server-clock";
import { StatusIcon } from "@/ui/status/status-icon";
import { count, plural } from "@/ui/format";

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
        <span className="seq" title="Number of the last event">
          #{count(connection.seq)}
        </span>
      )}
    </div>
  );
}

export function ConnectionNotice() {
  const connection = useConnection();
  if (connection.state === "lost") return <Lost since={connection.since} retryAt={connection.retryAt} />;
  if (connection.state === "live" && connection.caughtUp !== null) {
    return (
      <div className="notice" role="status">
        <StatusIcon status={LIVE} decorative />
        <span>
          <strong>Caught up.</strong> {plural(connection.caughtUp, "event")} while away, none missing.
        </span>
      </div>
    );
  }
  return null;
}

function Lost({ since, retryAt }: { since: number; retryAt: number }) {
  useNow();
  const seconds = Math.max(0, Math.ceil((retryAt - Date.now()) / 1_000));
  const time = new Date(since).toTimeString().slice(0, 8);
  return (
    <div className="notice" role="status">
      <StatusIcon status={LOST} decorative />
      <span>
        <strong>Not connected since {time}.</strong> What you see is from then.{" "}
        {seconds > 0 ? `Trying again in ${seconds} s.` : "Trying again now."}
      </span>
      <button type="button" className="button small" onClick={live.tryNow}>
        Try now
      </button>
    </div>
  );
}
