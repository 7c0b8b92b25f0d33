// What the server finds for the typed text: missions, tasks, agents, runs and executions.
import { useEffect, useMemo, useState } from "react";

import type { FoundTarget } from "@/api/types";
import { useTool } from "@/api/use-tool";
import { AGENT, EXECUTION, MISSION, RUN, type Status, statusFor, TASK } from "@/ui/status/status";
import { type Entry, matchOf } from "./entry";

const PAUSE = 120;
const MAX = 20;
const STATES: Record<string, Record<string, Status>> = {
  mission: MISSION,
  task: TASK,
  agent: AGENT,
  run: RUN,
  execution: EXECUTION,
};

interface Found {
  entries: Entry[];
  searching: boolean;
}

/** Return entries for the text. Answers to an earlier text are dropped unless they fit the new one as well. */
export function useFoundEntries(text: string): Found {
  const asked = useSettled(text.trim());
  const found = useTool("overview_find", { query: asked, limit: MAX }, { enabled: asked !== "", keep: true });
  const isOld = found.isPlaceholderData || asked !== text.trim();
  const targets = text.trim() === "" ? undefined : found.data?.targets;
  const entries = useMemo(
    () => (targets ?? []).map(entryOf).filter((entry) => !isOld || matchOf(entry.name, text) !== null),
    [targets, isOld, text],
  );
  return { entries, searching: text.trim() !== "" && (isOld || found.isFetching) };
}

/** Return the text once it has not changed for a moment. */
function useSettled(text: string): string {
  const [settled, settle] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => settle(text), PAUSE);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

export function entryOf(target: FoundTarget): Entry {
  return {
    id: target.id,
    name: target.name,
    detail: target.detail ?? undefined,
    kind: target.kind,
    icon: statusFor(STATES[target.kind] ?? {}, target.state),
    to: addressOf(target),
  };
}

function addressOf({ kind, id }: FoundTarget): string {
  return kind === "agent" ? `/agents?agent=${id}` : `/${kind}s/${id}`;
}
