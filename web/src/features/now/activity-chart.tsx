// Charts the running tasks and the open inbox items since your last visit.

import type { WorkCourse } from "@/api/types";
import { useTool } from "@/api/use-tool";
import { lastVisit } from "@/features/shell/last-visit";
import { Card } from "@/ui/basics";
import { clockTime } from "@/ui/format";
import { areaOf, lineOf, ticksOf } from "./chart-paths";

const WIDTH = 280;
const HEIGHT = 72;

export function ActivityChart() {
  const course = useTool("overview_course", { since: lastVisit });
  if (course.data === undefined || Math.max(...course.data.at_work, ...course.data.waiting) === 0) return null;
  return (
    <Card title={isToday(lastVisit) ? "Today" : "Overnight"} aside={<Legend />} className="course">
      <Curves course={course.data} />
    </Card>
  );
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
        {part !== null && part > 0 && (
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
