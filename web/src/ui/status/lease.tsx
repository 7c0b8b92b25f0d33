// The remaining time of a claim's lease, as a ring or a bar, by the server's clock.

import { countdown } from "../format";
import { useNow } from "../hooks/use-server-clock";

const ROUND = 2 * Math.PI * 5;

export function Lease({ until, seconds = 900 }: { until: string | null; seconds?: number }) {
  const now = useNow();
  if (until === null) return null;
  const { left, tone, part } = remaining(until, seconds, now);
  return (
    <span className={`lease tone-${tone}`} title={`Lease ends at ${until}`}>
      <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
        <circle cx="7" cy="7" r="5" className="rest" />
        <circle cx="7" cy="7" r="5" className="left" strokeDasharray={`${part * ROUND} ${ROUND}`} />
      </svg>
      {left < 0 ? `expired ${countdown(-left)} ago` : countdown(left)}
    </span>
  );
}

/** Show how much of a lease is left as a bar. */
export function LeaseBar({ until, seconds }: { until: string | null; seconds: number }) {
  const now = useNow();
  if (until === null) return null;
  const { part, tone } = remaining(until, seconds, now);
  return (
    <div className={`lease-bar tone-${tone === "neutral" ? "progress" : tone}`} aria-hidden="true">
      <span style={{ width: `${part * 100}%` }} />
    </div>
  );
}

function remaining(until: string, seconds: number, now: number) {
  const left = (Date.parse(until) - now) / 1_000;
  const tone = left < 0 ? "danger" : left < 30 ? "attention" : "neutral";
  return { left, tone, part: Math.max(0, Math.min(1, left / seconds)) };
}
