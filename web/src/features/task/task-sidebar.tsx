// Next to a task: its owner and neighbors, history and messages.
import { useMemo, useState } from "react";
import { Link } from "react-router";

import type { CheckpointRecord, MissionTask, TaskRecord, TaskStory, WorkspaceState } from "@/api/types";
import { useTool, useWholeList } from "@/api/use-tool";
import { MessageForm } from "@/features/shell/messages/message-form";
import { MessageRow } from "@/features/shell/messages/message-row";
import { isDone } from "@/features/shell/missions/time-estimates";
import { neighborsOf } from "@/features/shell/tasks/task-facts";
import { useOverview } from "@/features/shell/use-overview";
import { Ago, Card, Time } from "@/ui/basics";
import { ExpandableText } from "@/ui/expandable-text";
import { Icon } from "@/ui/icons";
import { Loaded } from "@/ui/query-states";
import { Lease, LeaseBar } from "@/ui/status/lease";
import { type Status, statusFor, TASK } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";

interface OwnerCardProps {
  task: TaskRecord;
  shown: MissionTask | undefined;
  seconds: number;
  tasks: readonly MissionTask[];
  areas: readonly string[];
}

export function OwnerCard({ task, shown, seconds, tasks, areas }: OwnerCardProps) {
  const owner = task.assigned_agent_id;
  const agent = useTool("agent_get", { id: owner ?? "" }, { enabled: owner !== null }).data;
  const space = useTool("workspace_get", { id: task.workspace_id ?? "" }, { enabled: task.workspace_id !== null }).data;
  const { needs, unblocks } = neighborsOf(task.id, tasks);
  const open = shown === undefined || !isDone(shown);
  return (
    <Card title="Owner" aside={open && <Lease until={task.lease_until} seconds={seconds} />} className="owner">
      {open && <LeaseBar until={task.lease_until} seconds={seconds} />}
      <dl className="facts">
        <dt>Agent</dt>
        <dd>
          {owner === null ? (
            (shown?.agent ?? "none yet")
          ) : (
            <Link to={`/agents?agent=${owner}`}>{agent?.name ?? shown?.agent ?? owner}</Link>
          )}
          {agent !== undefined && agent.runtime !== "custom" && <span className="quiet"> {agent.runtime}</span>}
        </dd>
        {agent !== undefined && open && (
          <>
            <dt>Heartbeat</dt>
            <dd>
              <Ago at={agent.last_heartbeat} />
            </dd>
          </>
        )}
        {space !== undefined && (
          <>
            <dt>Worktree</dt>
            <dd>
              <Link to="/workspaces">
                <code>{space.branch}</code>
              </Link>{" "}
              <span className="quiet">{describeDistance(space.state)}</span>
            </dd>
          </>
        )}
        <dt>Areas</dt>
        <dd>{areas.length > 0 ? <code>{areas.join(", ")}</code> : "any file"}</dd>
        <dt>Depends on</dt>
        <dd>
          <TaskLinks tasks={needs} />
        </dd>
        <dt>Unblocks</dt>
        <dd>
          <TaskLinks tasks={unblocks} />
        </dd>
      </dl>
    </Card>
  );
}

/** `4 ahead, 1 behind` */
function describeDistance(state: WorkspaceState | null | undefined): string {
  const parts = [state?.ahead ? `${state.ahead} ahead` : "", state?.behind ? `${state.behind} behind` : ""];
  return parts.filter(Boolean).join(", ");
}

function TaskLinks({ tasks }: { tasks: readonly MissionTask[] }) {
  if (tasks.length === 0) return <>nothing</>;
  return (
    <ul className="task-links">
      {tasks.map((task) => (
        <li key={task.id}>
          <StatusIcon status={statusFor(TASK, task.state)} size={14} />{" "}
          <Link to={`/tasks/${task.id}`}>{task.name}</Link>
        </li>
      ))}
    </ul>
  );
}

const ENTRY: Record<string, Status> = {
  milestone: { shape: "diamond", tone: "progress", word: "Milestone" },
  progress: { shape: "diamond", tone: "progress", word: "Progress" },
  issue: { shape: "triangle", tone: "attention", word: "Issue" },
  error: { shape: "octagon", tone: "danger", word: "Error" },
  plan: { shape: "ring-dot", tone: "progress", word: "Plan" },
};

const FIRST_ROWS = 8;

/** The author of Mission Control's own notes. */
const OURS = "system";

interface HistoryRow {
  at: string;
  status: Status;
  words: string;
  more: string;
  decision: boolean;
}

/** Return states and checkpoints in one list, the newest first. */
export function historyOf(
  story: TaskStory | undefined,
  checkpoints: readonly CheckpointRecord[],
  names = new Map<string, string>(),
): HistoryRow[] {
  const moves = (story?.moves ?? []).map((move) => ({
    at: move.at,
    status: statusFor(TASK, move.state),
    words: move.status === "pending" && move.agent !== null ? "Assigned" : statusFor(TASK, move.state).word,
    more: [move.agent, move.attempt > 1 ? `attempt ${move.attempt}` : null].filter(Boolean).join(", "),
    decision: false,
  }));
  const entries = checkpoints.map((entry) => ({
    at: entry.created_at,
    status:
      entry.detail.failed === true
        ? TASK.failed!
        : (ENTRY[entry.type] ?? { shape: "diamond" as const, tone: "neutral" as const, word: entry.type }),
    words: entry.summary,
    more: [
      entry.author === OURS ? null : entry.type,
      entry.author !== null ? (names.get(entry.author) ?? entry.author) : null,
    ]
      .filter(Boolean)
      .join(", "),
    decision: entry.type === "decision",
  }));
  return [...moves, ...entries].sort((one, other) => other.at.localeCompare(one.at));
}

export function HistoryCard({ id, story }: { id: string; story: TaskStory | undefined }) {
  const checkpoints = useWholeList("checkpoint_list", { task_id: id });
  const fleet = useOverview().data?.fleet;
  const [all, setAll] = useState(false);
  const names = useMemo(
    () =>
      new Map([[OURS, "Mission Control"], ...(fleet ?? []).map((agent): [string, string] => [agent.id, agent.name])]),
    [fleet],
  );
  return (
    <Loaded query={checkpoints} what="checkpoints">
      {(data) => {
        const rows = historyOf(story, data.checkpoints, names);
        if (rows.length === 0) return null;
        return (
          <Card title="History" count={rows.length}>
            <ol className="side-list history">
              {rows.slice(0, all ? rows.length : FIRST_ROWS).map((row, index) => (
                <li key={index}>
                  <span className="meta when">
                    <Time at={row.at} />
                  </span>
                  {row.decision ? <Icon name="decision" size={14} /> : <StatusIcon status={row.status} size={14} />}
                  <span>
                    <ExpandableText text={row.words} maxLength={300} /> <span className="meta">{row.more}</span>
                  </span>
                </li>
              ))}
            </ol>
            {rows.length > FIRST_ROWS && !all && (
              <button type="button" className="button older" onClick={() => setAll(true)}>
                Show all {rows.length}
              </button>
            )}
          </Card>
        );
      }}
    </Loaded>
  );
}

export function MessagesCard({ task }: { task: TaskRecord }) {
  const owner = task.assigned_agent_id;
  const sent = useTool("message_list", { agent_id: owner ?? "human", status: "all", limit: 200 });
  const got = useTool("message_list", { agent_id: "human", status: "all", limit: 200 });
  const found = new Map(
    [...(sent.data?.messages ?? []), ...(got.data?.messages ?? [])]
      .filter((message) => message.task_id === task.id)
      .map((message) => [message.id, message]),
  );
  const messages = [...found.values()].sort((one, other) => one.created_at.localeCompare(other.created_at));
  const agent = useTool("agent_get", { id: owner ?? "" }, { enabled: owner !== null });
  if (owner === null && messages.length === 0) return null;
  return (
    <Card title="Messages" count={messages.length}>
      {messages.length === 0 && <p className="side-words">No messages about this task.</p>}
      <ol className="letters">
        {messages.map((message) => (
          <MessageRow key={message.id} message={message} />
        ))}
      </ol>
      {owner !== null && <MessageForm to={owner} name={agent.data?.name ?? "the agent"} taskId={task.id} />}
    </Card>
  );
}
