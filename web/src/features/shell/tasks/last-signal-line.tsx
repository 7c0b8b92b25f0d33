// What the agent said last, in one line.

import { Ago } from "@/ui/basics";
import { ExpandableText } from "@/ui/expandable-text";
import { StatusIcon } from "@/ui/status/status-icon";
import type { LastSignal } from "../executions/last-signal";

const SHOWN = 300;

export function LastSignalLine({ signal }: { signal: LastSignal }) {
  return (
    <p className="row last-signal">
      <StatusIcon status={signal.status} />
      <span>
        <span className="quiet">Last signal:</span> <ExpandableText text={signal.words} maxLength={SHOWN} />
      </span>
      <span className="meta">
        <Ago at={signal.at} />
      </span>
    </p>
  );
}
