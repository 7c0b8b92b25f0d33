// The journal, newest first: decisions with options and reasons, issues, milestones and checkpoints.
import { useInfiniteQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";

import { call } from "@/api/call-tool";
import type { JournalRow, MissionJournal } from "@/api/types";
import { useConnection } from "@/live/live-connection";
import { Card, ShowNewButton, Time } from "@/ui/basics";
import { ExpandableText } from "@/ui/expandable-text";
import { Icon } from "@/ui/icons";
import { Empty, Loaded } from "@/ui/query-states";
import { type Status, TASK } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";
import type { ViewProps } from "../view-props";

const PAGE = 50;
const MAX = 300;
const LIVE: Status = { shape: "disc-check", tone: "success", word: "Live" };
const LOST: Status = { shape: "ring-cross", tone: "danger", word: "Not connected" };

export function JournalView({ mission, choose }: ViewProps) {
  const pages = useInfiniteQuery<MissionJournal, Error, { pages: MissionJournal[] }, readonly unknown[], string | null>(
    {
      queryKey: ["overview_journal", { mission_id: mission.id }],
      queryFn: ({ pageParam, signal }) =>
        call(
          "overview_journal",
          { mission_id: mission.id, limit: PAGE, ...(pageParam !== null ? { cursor: pageParam } : {}) },
          { signal },
        ),
      initialPageParam: null,
      getNextPageParam: (last) => last.next_cursor ?? undefined,
    },
  );
  const all = useMemo(() => unique(pages.data?.pages.flatMap((page) => page.entries) ?? []), [pages.data]);
  const live = useConnection().state === "live";
  const list = useRef<HTMLOListElement>(null);
  const { shown, fresh, show } = useStableEntries(all, list);
  return (
    <Card title="Journal" count={mission.entries} aside={<Live on={live} />} className="journal">
      <Loaded query={{ data: pages.data, error: pages.error, refetch: pages.refetch }} what="the journal">
        {() =>
          all.length === 0 ? (
            <Empty title="No entries yet">Decisions, issues, milestones and checkpoints from agents appear here.</Empty>
          ) : (
            <>
              <ShowNewButton count={fresh} show={show} />
              <ol ref={list} className="entries lined">
                {shown.map((entry) => (
                  <Entry key={entry.id} entry={entry} choose={choose} />
                ))}
              </ol>
              {pages.hasNextPage && (
                <button
                  type="button"
                  className="fold"
                  disabled={pages.isFetching}
                  onClick={() => void pages.fetchNextPage()}
                >
                  Older entries
                </button>
              )}
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

function Live({ on }: { on: boolean }) {
  return (
    <>
      <StatusIcon status={on ? LIVE : LOST} size={12} decorative /> {on ? "live" : "not connected"}
    </>
  );
}

/** Hold new entries back while the list is being read, so that nothing moves. */
function useStableEntries(all: JournalRow[], list: React.RefObject<HTMLElement | null>) {
  const [top, setTop] = useState<string | null>(null);
  const newest = all[0]?.id ?? null;
  useEffect(() => {
    if (top === null || !isBeingRead(list.current)) setTop(newest);
  }, [newest, top, list]);
  const at = top === null ? 0 : all.findIndex((entry) => entry.id === top);
  const fresh = Math.max(0, at);
  return { shown: all.slice(fresh), fresh, show: () => setTop(newest) };
}

function isBeingRead(list: HTMLElement | null): boolean {
  if (list === null) return false;
  return list.contains(document.activeElement) || list.matches(":hover") || list.scrollTop > 0;
}

function unique(entries: JournalRow[]): JournalRow[] {
  const seen = new Set<string>();
  return entries.filter((entry) => !seen.has(entry.id) && seen.add(entry.id));
}

const KINDS: Record<string, { word: string; status?: Status; icon?: "decision" }> = {
  decision: { word: "decided", icon: "decision" },
  choice: { word: "decided", icon: "decision" },
  issue: { word: "reported an issue", status: { shape: "triangle", tone: "attention", word: "Issue" } },
  error: { word: "reported an error", status: { shape: "octagon", tone: "danger", word: "Error" } },
  milestone: { word: "", status: { shape: "diamond", tone: "progress", word: "Milestone" } },
  progress: { word: "", status: { shape: "diamond", tone: "progress", word: "Progress" } },
  plan: { word: "planned", status: { shape: "ring-dot", tone: "progress", word: "Plan" } },
  replan: { word: "replanned", status: { shape: "ring-dot", tone: "progress", word: "Plan" } },
  recovery: { word: "left a note", status: { shape: "ring-cross", tone: "neutral", word: "Recovery" } },
  complete: { word: "reported done", status: { shape: "dashed-check", tone: "success", word: "Reported done" } },
};

/** Return the kind of an entry. Mission Control's own notes already say what happened. */
function kindOf(entry: JournalRow): (typeof KINDS)[string] {
  const kind = KINDS[entry.kind] ?? { word: entry.kind };
  if (entry.detail.failed === true) return { word: "", status: TASK.failed! };
  return entry.author === "Mission Control" ? { ...kind, word: "" } : kind;
}

function Entry({ entry, choose }: { entry: JournalRow; choose: (id: string) => void }) {
  const kind = kindOf(entry);
  return (
    <li>
      <span className="kind">
        {kind.status !== undefined ? <StatusIcon status={kind.status} /> : <Icon name={kind.icon ?? "decision"} />}
      </span>
      <div className="words">
        <div className="top">
          <span className="quiet">
            {entry.author ?? "Unknown"} {kind.word}
          </span>
          <span className="meta">
            <Time at={entry.created_at} />
          </span>
        </div>
        <Detail entry={entry} />
        <button type="button" className="link meta" onClick={() => choose(entry.task_id)}>
          {entry.task_name}
        </button>
      </div>
    </li>
  );
}

function Detail({ entry }: { entry: JournalRow }): ReactNode {
  const { detail } = entry;
  if (entry.kind === "decision") return <Decision detail={detail} />;
  if (entry.kind === "issue")
    return (
      <>
        <p>
          <ExpandableText text={text(detail.description) ?? entry.summary} maxLength={MAX} />
        </p>
        {text(detail.resolution) !== null && (
          <p className="quiet">
            <ExpandableText text={text(detail.resolution) ?? ""} maxLength={MAX} />
          </p>
        )}
      </>
    );
  return (
    <p>
      <ExpandableText text={entry.summary} maxLength={MAX} />
    </p>
  );
}

export function Decision({ detail }: { detail: Record<string, unknown> }) {
  const given = detail.options_considered;
  const options = Array.isArray(given) ? given.filter((option) => typeof option === "string") : [];
  const answer = text(detail.chosen) ?? "";
  const chosen = options.find((option) => option.toLowerCase() === answer.toLowerCase()) ?? answer;
  const all = options.includes(chosen) ? options : [chosen, ...options];
  return (
    <>
      <p>
        <ExpandableText text={text(detail.question) ?? ""} maxLength={MAX} />
      </p>
      <ul className="options">
        {all.map((option) => (
          <li key={option} data-chosen={option === chosen || undefined}>
            {option}
            {option === chosen && <span className="hidden"> (chosen)</span>}
          </li>
        ))}
      </ul>
      <p className="quiet">
        <ExpandableText text={text(detail.reasoning) ?? ""} maxLength={MAX} />
      </p>
    </>
  );
}

function text(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
