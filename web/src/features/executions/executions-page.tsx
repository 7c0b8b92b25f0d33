// Every launched agent as a terminal or a row; the chosen one in large.
import { useMemo, useRef } from "react";
import { Link, useNavigate, useParams } from "react-router";

import type { RunGlance } from "@/api/types";
import { useKeys } from "@/features/shell/keyboard-shortcuts";
import { useOnline } from "@/live/live-connection";
import { useFilters } from "@/ui/hooks/use-url-filters";
import { useNow } from "@/ui/hooks/use-server-clock";
import { DialogButton } from "@/ui/dialog";
import { Icon } from "@/ui/icons";
import { Older, Segmented } from "@/ui/basics";
import { Empty, Loaded } from "@/ui/query-states";
import { count } from "@/ui/format";
import { Detail } from "./execution-detail";
import { LaunchAnywhere } from "./launch-form";
import { List } from "./execution-table";
import { ENDED, isSilent, LIVE } from "./execution-status";
import { Tile } from "./execution-tile";
import { useRuns } from "./use-executions";
import "./executions.css";

const SHOWS = ["live", "waiting", "silent", "ended"] as const;
type Show = (typeof SHOWS)[number];

export function ExecutionsPage() {
  const { id } = useParams();
  const [address, change] = useFilters();
  const wanted = SHOWS.find((each) => each === address.get("show"));
  const asList = address.get("view") === "list";
  const live = useRuns(LIVE, { live: true });
  const liveRows = useSteady(live.rows);
  const many = useCounts(live.counts, liveRows);
  const ownEnded = id !== undefined && live.query.data !== undefined && !liveRows.some((each) => each.id === id);
  const show: Show = wanted ?? (ownEnded || (many.live === 0 && many.ended > 0) ? "ended" : "live");
  const ended = useRuns(ENDED, { enabled: show === "ended" });
  const now = useNow();
  const chosen = { live: liveRows, waiting: liveRows.filter(needsPerson), silent: liveRows.filter((each) => isSilent(each, null, now)), ended: ended.rows };
  const rows = chosen[show];
  const search = address.size > 0 ? `?${address}` : "";
  useMoves(rows, id, search);
  const source = show === "ended" ? ended : live;
  return (
    <div className="page executions">
      <title>Executions · Mission Control</title>
      <div className="page-head">
        <h1>Executions</h1>
        <span className="quiet">
          {count(many.live)} live · {count(many.ended)} ended
        </span>
        <div className="actions">
          <Segmented
            label="Which executions"
            value={show}
            choose={(value) => change("show", value)}
            options={SHOWS.map((each) => [each, `${WORDS[each]} ${count(many[each])}`] as const)}
          />
          <Segmented
            label="How they are shown"
            value={asList ? "list" : "tiles"}
            choose={(value) => change("view", value === "list" ? value : null)}
            options={[
              ["tiles", "Tiles"],
              ["list", "List"],
            ]}
          />
          <LaunchButton />
        </div>
      </div>
      <div className="execution-columns" data-detail={id !== undefined || undefined}>
        <div className="tiles-side">
          <Loaded query={source.query} what="The executions could not be read">
            {() =>
              rows.length === 0 ? (
                <Nothing show={show} none={many.live + many.ended === 0} />
              ) : asList ? (
                <List rows={rows} id={id} search={search} />
              ) : (
                <ul className="tiles">
                  {rows.map((each) => (
                    <Tile key={each.id} execution={each} chosen={each.id === id} search={search} />
                  ))}
                </ul>
              )
            }
          </Loaded>
          {!asList && rows.length > 1 && show === "live" && (
            <p className="meta tiles-note">{rows.length} shown, those that need you first, then in the order of their start</p>
          )}
          <Older show={source.more} />
        </div>
        {id !== undefined && (
          <div className="detail-side">
            <Link className="button back" to={`/executions${search}`}>
              All executions
            </Link>
            <Detail key={id} id={id} lease={liveRows.find((each) => each.id === id)?.lease_until ?? null} />
          </div>
        )}
      </div>
    </div>
  );
}

const WORDS: Record<Show, string> = { live: "Live", waiting: "Waiting", silent: "Silent", ended: "Ended" };

const needsPerson = (each: RunGlance) => each.status === "waiting" || each.task_state === "blocked";

function useCounts(counts: Record<string, number>, live: RunGlance[]): Record<Show, number> {
  const now = useNow();
  const sum = (statuses: readonly string[]) => statuses.reduce((total, each) => total + (counts[each] ?? 0), 0);
  return {
    live: sum(LIVE),
    waiting: live.filter(needsPerson).length,
    silent: live.filter((each) => isSilent(each, null, now)).length,
    ended: sum(ENDED),
  };
}

const NONE: Record<Show, [string, string]> = {
  live: ["Nothing runs", "Launch an agent on a task that is ready, or look at those that ended."],
  waiting: ["Nobody waits for you", "An agent that asks, or is blocked, stands here until it is answered."],
  silent: ["Nobody is silent", "An agent that has shown nothing for 90 seconds stands here: a nudge may help."],
  ended: ["None has ended", "What an ended agent showed can be played again here."],
};

function Nothing({ show, none }: { show: Show; none: boolean }) {
  return (
    <section className="card">
      {none ? (
        <Empty title="Nothing was launched yet" actions={<code>mission launch --adapter claude-code --task t_…</code>}>
          Mission Control starts agent clients itself, each with its task and a terminal that you can watch and type into. Launch one here or
          from a shell.
        </Empty>
      ) : (
        <Empty title={NONE[show][0]}>{NONE[show][1]}</Empty>
      )}
    </section>
  );
}

function LaunchButton() {
  const online = useOnline();
  const word = (
    <>
      <Icon name="plus" /> Launch
    </>
  );
  return (
    <DialogButton word={word} titled="launch-title" off={!online}>
      {(close) => <LaunchAnywhere close={close} />}
    </DialogButton>
  );
}

/** Those that need a person first when the page is opened, then a fixed order: a tile never moves because of an update. */
function useSteady(executions: RunGlance[]): RunGlance[] {
  const places = useRef(new Map<string, number>());
  return useMemo(() => {
    const known = places.current;
    const fresh = executions.filter((each) => !known.has(each.id));
    const urgent = known.size === 0 ? (each: RunGlance) => Number(!needsPerson(each)) : () => 0;
    fresh.sort((one, other) => urgent(one) - urgent(other) || one.created_at.localeCompare(other.created_at));
    for (const each of fresh) known.set(each.id, known.size);
    return [...executions].sort((one, other) => known.get(one.id)! - known.get(other.id)!);
  }, [executions]);
}

function useMoves(rows: RunGlance[], id: string | undefined, search: string): void {
  const navigate = useNavigate();
  useKeys(
    useMemo(() => {
      const place = rows.findIndex((each) => each.id === id);
      const move = (step: number) => {
        const next = rows[Math.max(0, Math.min(place + step, rows.length - 1))];
        if (next !== undefined) void navigate(`/executions/${next.id}${search}`);
      };
      return {
        j: () => move(1),
        k: () => move(-1),
        Escape: () => id !== undefined && void navigate(`/executions${search}`),
        o: (event) => {
          event.preventDefault();
          document.querySelector<HTMLElement>(".terminal .xterm-helper-textarea")?.focus();
        },
      };
    }, [rows, id, search, navigate]),
  );
}
