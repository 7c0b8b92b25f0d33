// Executions as tiles or rows, with the selected one next to them.
import { useMemo, useRef } from "react";
import { Link, useNavigate, useParams } from "react-router";

import type { RunGlance } from "@/api/types";
import { ENDED, isSilent, LIVE } from "@/features/shell/executions/execution-status";
import { useKeys } from "@/features/shell/keyboard/keyboard-shortcuts";
import { LaunchAnyTaskForm } from "@/features/shell/tasks/launch-form";
import { useOverview } from "@/features/shell/use-overview";
import { useOnline } from "@/live/live-connection";
import { Segmented, ShowOlderButton } from "@/ui/basics";
import { DialogButton } from "@/ui/dialog";
import { count } from "@/ui/format";
import { useNow } from "@/ui/hooks/use-server-clock";
import { useUrlFilters } from "@/ui/hooks/use-url-filters";
import { Icon } from "@/ui/icons";
import { Empty, Loaded } from "@/ui/query-states";
import { ExecutionDetail } from "./execution-detail";
import { ExecutionTable } from "./execution-table";
import { ExecutionTile } from "./execution-tile";
import { useExecutions } from "./use-executions";
import "./executions.css";

const SHOWS = ["live", "waiting", "silent", "ended"] as const;
type Show = (typeof SHOWS)[number];

export function ExecutionsPage() {
  const { id } = useParams();
  const [address, change] = useUrlFilters();
  const wanted = SHOWS.find((each) => each === address.get("show"));
  const asList = address.get("view") === "list";
  const mission = address.get("mission");
  const live = useExecutions({ status: LIVE, mission, live: true });
  const liveRows = useFixedOrder(live.rows);
  const many = useCounts(live.counts, liveRows);
  const ownEnded = id !== undefined && live.query.data !== undefined && !liveRows.some((each) => each.id === id);
  const show: Show = wanted ?? (ownEnded || (many.live === 0 && many.ended > 0) ? "ended" : "live");
  const ended = useExecutions({ status: ENDED, mission, enabled: show === "ended" });
  const now = useNow();
  const chosen = {
    live: liveRows,
    waiting: liveRows.filter(needsPerson),
    silent: liveRows.filter((each) => isSilent(each, null, now)),
    ended: ended.rows,
  };
  const rows = chosen[show];
  const search = address.size > 0 ? `?${address}` : "";
  useExecutionKeys(rows, id, search);
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
          <MissionFilter value={mission ?? ""} shown={rows} change={(value) => change("mission", value || null)} />
          <Segmented
            label="Filter executions"
            value={show}
            choose={(value) => change("show", value)}
            options={SHOWS.map((each) => [each, `${WORDS[each]} ${count(many[each])}`] as const)}
          />
          <Segmented
            label="Layout"
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
          <Loaded query={source.query} what="executions">
            {() =>
              rows.length === 0 ? (
                <NoExecutions show={show} none={many.live + many.ended === 0} />
              ) : asList ? (
                <ExecutionTable rows={rows} id={id} search={search} />
              ) : (
                <ul className="tiles">
                  {rows.map((each) => (
                    <ExecutionTile key={each.id} execution={each} chosen={each.id === id} search={search} />
                  ))}
                </ul>
              )
            }
          </Loaded>
          {!asList && rows.length > 1 && show === "live" && (
            <p className="meta tiles-note">{rows.length} shown, those that need you first, then by start time</p>
          )}
          <ShowOlderButton show={source.more} />
        </div>
        {id !== undefined && (
          <div className="detail-side">
            <Link className="button back" to={`/executions${search}`}>
              All executions
            </Link>
            <ExecutionDetail key={id} id={id} lease={liveRows.find((each) => each.id === id)?.lease_until ?? null} />
          </div>
        )}
      </div>
    </div>
  );
}

interface MissionFilterProps {
  value: string;
  /** Executions whose missions can be chosen too, because ended missions are not in the overview. */
  shown: readonly RunGlance[];
  change: (mission: string) => void;
}

function MissionFilter({ value, shown, change }: MissionFilterProps) {
  const open = useOverview().data?.missions;
  const missions = useMemo(() => {
    const found = new Map(shown.map((each) => [each.mission_id, each.mission_name]));
    for (const each of open ?? []) if (each.at_work > 0 || each.id === value) found.set(each.id, each.name);
    if (value !== "" && !found.has(value)) found.set(value, "This mission");
    return [...found].sort(([, one], [, other]) => one.localeCompare(other));
  }, [open, shown, value]);
  return (
    <select
      className="field mission-filter"
      aria-label="Mission"
      value={value}
      onChange={(event) => change(event.target.value)}
    >
      <option value="">All missions</option>
      {missions.map(([id, name]) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
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
  live: ["No executions are running", "Launch an agent on a ready task, or look at ended executions."],
  waiting: ["No agents are waiting for you", "Agents that ask a question or are blocked appear here."],
  silent: ["No agents are silent", "Agents with no output for 90 seconds appear here. Try a nudge."],
  ended: ["No executions have ended", "You can replay a finished execution's terminal session here."],
};

function NoExecutions({ show, none }: { show: Show; none: boolean }) {
  return (
    <section className="card">
      {none ? (
        <Empty title="No executions yet" actions={<code>mission launch --adapter claude-code --task t_…</code>}>
          Mission Control can launch agent clients, each with a task and a terminal that you can watch and type into.
          Launch one here or from a shell.
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
      {(close) => <LaunchAnyTaskForm close={close} />}
    </DialogButton>
  );
}

/** Return executions that need you first when the page opens, then in a fixed order. Updates never move a tile. */
function useFixedOrder(executions: RunGlance[]): RunGlance[] {
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

function useExecutionKeys(rows: RunGlance[], id: string | undefined, search: string): void {
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
