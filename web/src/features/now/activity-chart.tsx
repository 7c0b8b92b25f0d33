// Charts the running tasks and the open inbox items since your last visit.

import type { WorkCourse } from "@/api/types";
import { useTool } from "@/api/use-tool";
import { useLastVisit } from "@/features/shell/last-visit";
import { Card } from "@/ui/basics";
import { clockTime } from "@/ui/format";
import { areaOf, lineOf, ticksOf } from "./chart-paths";

const WIDTH = 280;
const HEIGHT = 72;
const HOUR = 3_600_000;
/** The line of the first unanswered question needs this much room on each side. */
const EDGE = 0.03;

export function ActivityChart() {
  const { left } = useLastVisit();
  const course = useTool("overview_course", {
    since: new Date(Math.min(Date.parse(left), eightHoursAgo())).toISOString(),
  });
  const active = course.data === undefined ? null : fromFirstActivity(course.data);
  if (active === null) return null;
  return (
    <Card title={isToday(active.at[0]!) ? "Today" : "Overnight"} aside={<Legend />} className="course">
      <Curves course={active} />
    </Card>
  );
}

/** Rounded to the hour, because it is part of a query's key. */
function eightHoursAgo(): number {
  return (Math.floor(Date.now() / HOUR) - 8) * HOUR;
}

/** Return the course from shortly before anything happened; null if nothing did. */
export function fromFirstActivity(course: WorkCourse): WorkCourse | null {
  const first = course.at.findIndex((_, place) => course.at_work[place]! + course.waiting[place]! > 0);
  if (first < 0) return null;
  const from = Math.min(Math.max(0, first - 1), course.at.length - 2);
  return {
    ...course,
    at: course.at.slice(from),
    at_work: course.at_work.slice(from),
    waiting: course.waiting.slice(from),
  };
}

function Legend() {
  return (
    <span className="course-legend">
      <span className="tone-progress">at work</span> <span className="tone-attention">waiting for you</span>
    </span>
  );
}

function Curves({ course }: { course: WorkCourse }) {
  const { at_work: atWork, waiting } = course;
  const [from, to] = [Date.parse(course.at[0]!), Date.parse(course.at.at(-1)!)];
  const highest = Math.max(...atWork, ...waiting) * 1.1;
  const asked = course.unanswered_since === null ? null : Date.parse(course.unanswered_since);
  const part = asked === null ? null : (asked - from) / (to - from);
  return (
    <figure>
      <div className="curves">
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={describe(course)}>
          {[["tone-progress", atWork] as const, ["tone-attention", waiting] as const].map(([tone, values]) => (
            <g key={tone} className={tone}>
              <path className="area" d={areaOf(values, highest, WIDTH, HEIGHT)} />
              <path className="line" d={lineOf(values, highest, WIDTH, HEIGHT)} />
            </g>
          ))}
        </svg>
        {part !== null && part > EDGE && part < 1 - EDGE && (
          <p
            className="asked"
            data-side={part > 0.5 ? "left" : "right"}
            style={{ left: `${part * 100}%` }}
            aria-hidden="true"
          >
            <span>{clockTime(course.unanswered_since!, to)} first unanswered question</span>
          </p>
        )}
      </div>
      <ol className="hours meta" aria-hidden="true">
        {ticksOf(from, to).map((tick) => (
          <li key={tick.at} style={{ left: `${tick.part * 100}%` }}>
            {clockTime(new Date(tick.at).toISOString(), tick.at)}
          </li>
        ))}
      </ol>
    </figure>
  );
}

function describe({ at, at_work: atWork, waiting, unanswered_since: asked }: WorkCourse): string {
  const since = clockTime(at[0]!, Date.parse(at.at(-1)!));
  const open =
    asked === null
      ? "no unanswered questions"
      : `first unanswered question at ${clockTime(asked, Date.parse(at.at(-1)!))}`;
  return `Since ${since}: ${atWork.at(-1)} at work now, ${Math.max(...atWork)} at peak; ${waiting.at(-1)} waiting for you, ${open}`;
}

function isToday(moment: string): boolean {
  return new Date(moment).toDateString() === new Date().toDateString();
}
