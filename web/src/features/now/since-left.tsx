// What happened since you left, in at most five lines.
import { Link } from "react-router";

import type { NewsLine, OverviewRecord } from "@/api/types";
import { useLastVisit } from "@/features/shell/last-visit";
import { span } from "@/ui/format";
import { useNow } from "@/ui/hooks/use-server-clock";
import { QUEUE, type Status, TASK } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";

const MERGED = { shape: "ring-dot", tone: "progress", word: "Merged" } as const;
const COST = { shape: "square", tone: "neutral", word: "Cost" } as const;
const KINDS: Record<string, { status: Status; to: string }> = {
  waiting: { status: QUEUE.question!, to: "/inbox" },
  failed: { status: TASK.failed!, to: "/missions" },
  finished: { status: TASK.proved!, to: "/missions?show=all" },
  merged: { status: MERGED, to: "/runs" },
  cost: { status: COST, to: "/costs" },
};

export function SinceLeft({ overview }: { overview: OverviewRecord }) {
  return (
    <section className="card since-left" aria-labelledby="since-left">
      <h2 id="since-left">
        <SinceTitle />
      </h2>
      {overview.since_left.length === 0 ? (
        <p className="quiet">Nothing happened.</p>
      ) : (
        <ul>
          {overview.since_left.map((line) => (
            <News key={line.kind} line={line} />
          ))}
        </ul>
      )}
    </section>
  );
}

/** `Since you left 38 min ago`; on a first visit, `The last 12 h`. */
export function SinceTitle() {
  const { left, known } = useLastVisit();
  const seconds = (useNow() - Date.parse(left)) / 1_000;
  return <>{known ? `Since you left ${span(seconds)} ago` : `The last ${span(seconds)}`}</>;
}

function News({ line }: { line: NewsLine }) {
  const kind = KINDS[line.kind];
  return (
    <li>
      {kind !== undefined && <StatusIcon status={kind.status} size={14} decorative />}
      <Link to={kind?.to ?? "/"}>{line.text}</Link>
    </li>
  );
}
