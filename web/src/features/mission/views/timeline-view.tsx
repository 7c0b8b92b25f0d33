// The timeline: a lane per agent with work, waiting and estimates.
import { useEffect, useMemo, useRef, useState } from "react";

import type { MissionOverview } from "@/api/types";
import { useTool } from "@/api/use-tool";
import { criticalPath } from "@/features/shell/missions/time-estimates";
import { useOverview } from "@/features/shell/use-overview";
import { Card } from "@/ui/basics";
import { clockTime, describeFailedAttempts, plural, span } from "@/ui/format";
import { useNow } from "@/ui/hooks/use-server-clock";
import { Empty } from "@/ui/query-states";
import { statusFor, TASK } from "@/ui/status/status";
import type { ViewProps } from "../view-props";
import { type Bar, type LaneFacts, lanesOf } from "./timeline-lanes";

const TITLE = 52;
/** A narrower estimate is not drawn. */
const MIN_AHEAD = 8;
const IDLE_TITLE = 110;
const MAX_ASKED = 200;
const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 240, 480, 1_440, 2_880, 7_200, 14_400, 43_200].map(
  (minutes) => minutes * MINUTE,
);

export function TimelineView({ mission, choose }: ViewProps) {
  const now = useNow();
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const path = useMemo(() => criticalPath(mission), [mission]);
  const known = useLaneFacts(mission);
  const lanes = lanesOf(mission.tasks, path, now, known);
  if (lanes.length === 0)
    return (
      <section className="card">
        <Empty title="No task has started yet">Each agent gets a lane when it starts its first task.</Empty>
      </section>
    );
  const bars = lanes.flatMap((lane) => lane.rows.flat());
  const from = Math.min(...bars.map((bar) => bar.from));
  const to = Math.max(mission.completed_at === null ? now + MINUTE : from + 1_000, ...bars.map((bar) => bar.to));
  const x = (at: number) => ((at - from) / (to - from)) * 100;
  const room = (one: number, other: number) => ((x(other) - x(one)) / 100) * width;
  const moment = (at: number) => clockTime(new Date(at).toISOString(), now);
  return (
    <Card
      title="Timeline"
      aside={<TimelineLegend words={`${plural(lanes.length, "lane")}, ${moment(from)} to ${moment(to)}`} />}
      className="timeline"
    >
      <div className="lanes" ref={frame}>
        <Scale from={from} to={to} now={now} x={x} room={width} />
        {lanes.map((lane) => (
          <div key={lane.name} className="lane">
            <div className="lane-name cut" title={lane.name}>
              {lane.name}
            </div>
            <div className="lane-rows">
              {lane.rows.map((row, at) => (
                <ul key={at} className="lane-row">
                  {row
                    .filter((bar) => bar.kind !== "ahead" || room(bar.from, bar.to) >= MIN_AHEAD)
                    .map((bar) => (
                      <BarItem
                        key={`${bar.task.id} ${bar.kind}`}
                        bar={bar}
                        left={x(bar.from)}
                        width={x(bar.to) - x(bar.from)}
                        titled={room(bar.from, bar.to) > TITLE}
                        critical={path.path.has(bar.task.id)}
                        choose={choose}
                      />
                    ))}
                  {at === 0 && lane.idle !== null && (
                    <li className="idle cut" style={{ left: `${x(lane.idle)}%`, width: `${x(now) - x(lane.idle)}%` }}>
                      {room(lane.idle, now) > IDLE_TITLE ? (
                        `idle since ${moment(lane.idle)}`
                      ) : (
                        <span className="hidden">idle</span>
                      )}
                    </li>
                  )}
                </ul>
              ))}
            </div>
          </div>
        ))}
      </div>
    </Card>
  );
}

/** Return what the tasks do not include: since when they wait for you, and which agents are idle. */
function useLaneFacts(mission: MissionOverview): LaneFacts {
  const waiting = useTool("queue_list", { mission_id: mission.id, limit: MAX_ASKED }).data?.items;
  const everybody = useOverview().data?.fleet;
  const fleet = mission.completed_at === null ? everybody : undefined;
  return useMemo(
    () => ({
      asked: new Map(
        waiting?.flatMap((item) => (item.task_id !== null ? [[item.task_id, Date.parse(item.created_at)]] : [])),
      ),
      idle: new Set(fleet?.filter((agent) => agent.state === "idle").map((agent) => agent.id)),
    }),
    [waiting, fleet],
  );
}

function TimelineLegend({ words }: { words: string }) {
  return (
    <span className="timeline-key">
      <span>by agent · {words}</span>
      <span>
        <i className="sample is-needs" /> waiting for you
      </span>
      <span>
        <i className="sample idle" /> idle
      </span>
      <span>
        <i className="sample is-critical" /> critical path
      </span>
      <span>
        <i className="sample is-ahead" /> estimate
      </span>
    </span>
  );
}

interface BarProps {
  bar: Bar;
  left: number;
  width: number;
  titled: boolean;
  critical: boolean;
  choose: (id: string) => void;
}

function BarItem({ bar, left, width, titled, critical: isCritical, choose }: BarProps) {
  const failed = describeFailedAttempts(bar.task.failed_attempts);
  const words = `${bar.task.name}: ${bar.word}${failed !== "" ? `, ${failed}` : ""}, ${span((bar.to - bar.from) / 1_000)}${isCritical ? ", on the critical path" : ""}`;
  const tone = bar.kind === "progress" ? "progress" : statusFor(TASK, bar.task.state).tone;
  return (
    <li style={{ left: `${left}%`, width: `${Math.max(width, 0.3)}%` }}>
      <button
        type="button"
        className={`bar-item tone-${tone} is-${bar.kind}`}
        data-critical={isCritical || undefined}
        title={words}
        aria-label={words}
        onClick={() => choose(bar.task.id)}
      >
        {titled && (
          <span className="cut">
            {bar.kind === "needs" ? `${bar.word} · ${span((bar.to - bar.from) / 1_000)}` : bar.task.name}
          </span>
        )}
      </button>
    </li>
  );
}

interface ScaleProps {
  from: number;
  to: number;
  now: number;
  room: number;
  x: (at: number) => number;
}

function Scale({ from, to, now, room, x }: ScaleProps) {
  const most = Math.max(2, room / 84);
  const step = STEPS.find((each) => (to - from) / each <= most) ?? STEPS.at(-1)!;
  const shift = new Date(from).getTimezoneOffset() * 60_000;
  const marks: number[] = [];
  for (let at = Math.ceil((from - shift) / step) * step + shift; at < to; at += step) marks.push(at);
  const time = (at: number) =>
    step >= DAY ? clockTime(new Date(at).toISOString(), now) : new Date(at).toTimeString().slice(0, 5);
  const nearNow = (at: number) => (Math.abs(x(at) - x(now)) / 100) * room < 46;
  return (
    <div className="scale" aria-hidden="true">
      {marks.map((at) => (
        <span key={at} className="mark" style={{ left: `${x(at)}%` }}>
          {nearNow(at) ? "" : time(at)}
        </span>
      ))}
      {now <= to && (
        <span className="mark is-now" style={{ left: `${x(now)}%` }}>
          <b>{new Date(now).toTimeString().slice(0, 5)}</b>
        </span>
      )}
    </div>
  );
}

function useWidth(frame: React.RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(800);
  useEffect(() => {
    if (frame.current === null) return;
    const watcher = new ResizeObserver(([entry]) => entry !== undefined && setWidth(entry.contentRect.width - 110));
    watcher.observe(frame.current);
    return () => watcher.disconnect();
  }, [frame]);
  return width;
}
