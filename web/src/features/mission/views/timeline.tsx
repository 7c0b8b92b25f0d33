// A lane per agent: who did what when, what waits for a person, and what is still ahead, as an estimate.
import { useEffect, useMemo, useRef, useState } from "react";

import type { MissionOverview, MissionTask } from "@/api/types";
import { useNow } from "@/ui/clock";
import { Card } from "@/ui/parts";
import { Empty } from "@/ui/states";
import { look, TASK } from "@/ui/status";
import { clockTime, span } from "@/ui/text";
import { critical, isDone, ordered, type Critical } from "../graph/path";
import type { ViewProps } from "../mission-page";

const TITLE = 52;
const NEEDS = new Set(["asks", "review", "blocked", "budget"]);
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 240, 480, 1_440].map((minutes) => minutes * 60_000);
const MOST_AHEAD = 60;

interface Bar {
  task: MissionTask;
  from: number;
  to: number;
  ahead: boolean;
}

interface Lane {
  name: string;
  rows: Bar[][];
}

export function Timeline({ mission, choose }: ViewProps) {
  const now = useNow();
  const frame = useRef<HTMLDivElement>(null);
  const width = useRoom(frame);
  const way = useMemo(() => critical(mission.tasks, mission.typical_seconds, now), [mission]);
  const lanes = lanesOf(mission, way, now);
  if (lanes.length === 0)
    return (
      <section className="card">
        <Empty title="Nothing has begun">Each agent gets a lane here when it starts its first task.</Empty>
      </section>
    );
  const bars = lanes.flatMap((lane) => lane.rows.flat());
  const from = Math.min(...bars.map((bar) => bar.from));
  const to = Math.max(now + 60_000, ...bars.map((bar) => bar.to));
  const x = (at: number) => ((at - from) / (to - from)) * 100;
  const words = `${lanes.length} lanes, ${clockTime(new Date(from).toISOString(), now)} to ${clockTime(new Date(to).toISOString(), now)}`;
  return (
    <Card title="Timeline" aside={`by agent · ${words}`} className="timeline">
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
                  {row.map((bar) => (
                    <BarItem
                      key={bar.task.id}
                      bar={bar}
                      left={x(bar.from)}
                      width={x(bar.to) - x(bar.from)}
                      titled={((x(bar.to) - x(bar.from)) / 100) * width > TITLE}
                      critical={way.path.has(bar.task.id)}
                      choose={choose}
                    />
                  ))}
                </ul>
              ))}
            </div>
          </div>
        ))}
      </div>
    </Card>
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
  const status = look(TASK, bar.task.state);
  const kind = bar.ahead ? "ahead" : NEEDS.has(bar.task.state) ? "needs" : isDone(bar.task) ? "done" : status.tone;
  const words = `${bar.task.name}: ${bar.ahead ? "estimate" : status.word}, ${span((bar.to - bar.from) / 1_000)}`;
  return (
    <li style={{ left: `${left}%`, width: `${Math.max(width, 0.3)}%` }}>
      <button
        type="button"
        className={`bar-item tone-${status.tone} is-${kind}`}
        data-critical={isCritical || undefined}
        title={words}
        aria-label={words}
        onClick={() => choose(bar.task.id)}
      >
        {titled && <span className="cut">{bar.task.name}</span>}
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
  const time = (at: number) => new Date(at).toTimeString().slice(0, 5);
  const nearNow = (at: number) => (Math.abs(x(at) - x(now)) / 100) * room < 46;
  return (
    <div className="scale" aria-hidden="true">
      {marks.map((at) => (
        <span key={at} className="mark" style={{ left: `${x(at)}%` }}>
          {nearNow(at) ? "" : time(at)}
        </span>
      ))}
      <span className="mark is-now" style={{ left: `${x(now)}%` }}>
        <b>{time(now)}</b>
      </span>
    </div>
  );
}

function lanesOf(mission: MissionOverview, way: Critical, now: number): Lane[] {
  const lanes = new Map<string, Bar[]>();
  const begun = mission.tasks
    .filter((task) => task.started_at !== null)
    .toSorted((one, other) => one.started_at!.localeCompare(other.started_at!));
  for (const task of begun) {
    const name = task.agent ?? "no agent named";
    const to = task.completed_at !== null ? Date.parse(task.completed_at) : now;
    const bars = lanes.get(name) ?? [];
    bars.push({ task, from: Date.parse(task.started_at!), to, ahead: false });
    lanes.set(name, bars);
  }
  const found = [...lanes].map(([name, bars]) => ({ name, rows: stacked(bars) }));
  const ahead = aheadOf(mission.tasks, way, now);
  if (begun.length > 0 && ahead.length > 0) found.push({ name: "unclaimed", rows: stacked(ahead) });
  return found;
}

/** Tasks that have not begun, as early as what they wait for allows. */
function aheadOf(tasks: readonly MissionTask[], way: Critical, now: number): Bar[] {
  const ends = new Map<string, number>();
  const bars: Bar[] = [];
  for (const task of ordered(tasks)) {
    const rest = (way.estimates.get(task.id) ?? 0) * 1_000;
    const from = Math.max(now, ...task.depends_on.map((id) => ends.get(id) ?? now));
    ends.set(task.id, from + rest);
    if (task.started_at === null && !isDone(task) && rest > 0) bars.push({ task, from, to: from + rest, ahead: true });
  }
  return bars.slice(0, MOST_AHEAD);
}

/** Bars that overlap stand below each other. */
function stacked(bars: readonly Bar[]): Bar[][] {
  const rows: Bar[][] = [];
  for (const bar of bars) {
    const row = rows.find((each) => each.at(-1)!.to <= bar.from + 1);
    if (row === undefined) rows.push([bar]);
    else row.push(bar);
  }
  return rows;
}

function useRoom(frame: React.RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(800);
  useEffect(() => {
    if (frame.current === null) return;
    const watcher = new ResizeObserver(([entry]) => entry !== undefined && setWidth(entry.contentRect.width - 110));
    watcher.observe(frame.current);
    return () => watcher.disconnect();
  }, [frame]);
  return width;
}
