// Which queries an event makes stale. A query is a tool's name and its arguments; `of` narrows it to those concerned.
import type { ToolName } from "@/api/call-tool";
import type { EventFrame } from "./event-socket";

type Args = Record<string, unknown>;
export interface Stale {
  tool: ToolName;
  of?: (args: Args, event: EventFrame) => boolean;
}

const ofMission = (args: Args, event: EventFrame) =>
  [args["mission_id"], args["workflow_id"], args["id"]].includes(event.mission_id);
const ofTask = (args: Args, event: EventFrame) =>
  [args["task_id"], args["id"]].includes(event.data["task_id"] ?? event.data["id"]);
const ofAgent = (args: Args, event: EventFrame) =>
  [args["agent_id"], args["id"]].includes(event.data["agent_id"] ?? event.data["id"]);

const ofItem = (args: Args, event: EventFrame) => args["id"] === event.data["id"];

const ofExecution = (args: Args, event: EventFrame) =>
  [args["execution_id"], args["id"]].includes(event.data["execution_id"] ?? event.data["id"]);

const OVERVIEWS: Stale[] = [{ tool: "overview" }, { tool: "overview_missions" }];
const MISSION: Stale[] = [{ tool: "overview_mission", of: ofMission }];
const CHANGES: Stale[] = [{ tool: "overview_changes", of: ofMission }];
const JOURNAL: Stale[] = [{ tool: "overview_journal", of: ofMission }];
const TASK: Stale[] = [
  { tool: "task_get", of: ofTask },
  { tool: "overview_task", of: ofTask },
  { tool: "overview_files", of: ofTask },
  { tool: "overview_diff", of: ofTask },
  { tool: "checkpoint_list", of: ofTask },
  { tool: "task_load_context", of: ofTask },
];
const MAIL: Stale[] = [{ tool: "message_list" }, { tool: "message_count_unread" }];
const RUNS: Stale[] = [{ tool: "execution_list" }, { tool: "overview_executions" }, { tool: "overview_spending" }];
const AGENTS: Stale[] = [{ tool: "agent_list" }, { tool: "agent_get", of: ofAgent }];

/** What also grows old by itself: signs of life move leases and presence without an event. */
export const FADING: ReadonlySet<string> = new Set<ToolName>([
  "overview",
  "overview_course",
  "overview_mission",
  "overview_executions",
  "task_get",
  "agent_list",
]);

/** By the first part of an event's type. */
export const TOPICS: Record<string, Stale[]> = {
  mission: [...OVERVIEWS, ...MISSION],
  workflow: [...OVERVIEWS, ...MISSION],
  phase: [...OVERVIEWS, ...MISSION],
  task: [...OVERVIEWS, ...MISSION, ...CHANGES, ...TASK, ...AGENTS, ...RUNS, { tool: "workflow_next_tasks" }],
  decision: [...MISSION, ...JOURNAL, ...TASK],
  issue: [{ tool: "overview" }, ...MISSION, ...JOURNAL, ...TASK],
  milestone: [{ tool: "overview" }, ...MISSION, ...JOURNAL, ...TASK],
  checkpoint: [{ tool: "overview" }, ...MISSION, ...JOURNAL, ...TASK],
  queue: [{ tool: "overview" }, { tool: "overview_course" }, { tool: "overview_mission", of: ofMission }, { tool: "queue_list" }, { tool: "queue_get", of: ofItem }],
  execution: [...RUNS, { tool: "execution_get", of: ofExecution }],
  observation: [...RUNS, { tool: "execution_observations", of: ofExecution }, { tool: "execution_get", of: ofExecution }],
  workspace: [{ tool: "workspace_list" }],
  template: [{ tool: "template_list" }],
  message: MAIL,
  mail: MAIL,
  agent: [{ tool: "overview" }, ...MISSION, ...AGENTS],
};

/** Whether one of the events makes the query with this key stale. */
export function isStale(key: readonly unknown[], events: readonly EventFrame[]): boolean {
  const [tool, args] = key as [string, Args | undefined];
  return events.some((event) =>
    (TOPICS[event.type.split(/[:.]/)[0] ?? ""] ?? []).some(
      (stale) => stale.tool === tool && (stale.of === undefined || stale.of(args ?? {}, event)),
    ),
  );
}
