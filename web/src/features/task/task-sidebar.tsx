// Next to a task: its claim, history, context and messages.
import { useMemo } from "react";
import { Link } from "react-router";

import type { CheckpointRecord, MissionTask, TaskRecord, TaskStory } from "@/api/types";
import { useTool, useWholeList } from "@/api/use-tool";
import { MessageForm } from "@/features/shell/messages/message-form";
import { MessageRow } from "@/features/shell/messages/message-row";
import { describeSpending, MAX_SUMMED, totalSpending } from "@/features/shell/missions/spending";
import { useOverview } from "@/features/shell/use-overview";
import { Ago, Card, Time } from "@/ui/basics";
import { ExpandableText } from "@/ui/expandable-text";
import { count } from "@/ui/format";
import { Icon } from "@/ui/icons";
import { Loaded } from "@/ui/query-states";
import { Lease, LeaseBar } from "@/ui/status/lease";
import { type Status, statusFor, TASK } from "@/ui/status/status";
import { FailedAttempts, StatusIcon } from "@/ui/status/status-icon";
import { contextParts } from "./context-parts";

interface ClaimCardProps {
  task: TaskRecord;
  shown: MissionTask | undefined;
  seconds: number;
  byId: Map<string, MissionTask>;
  tree: string | null;
}

export function ClaimCard({ task, shown, seconds, byId, tree }: ClaimCardProps) {
  const agent = useTool(
    "agent_get",
    { id: task.assigned_agent_id ?? "" },
    { enabled: task.assigned_agent_id !== null },
  );
  const spent = totalSpending(useTool("execution_list", { task_id: task.id, limit: MAX_SUMMED }).data?.executions);
  const behind = [...byId.values()].filter((each) => each.depends_on.includes(task.id));
  const needs = (shown?.depends_on ?? task.depends_on).flatMap((id) => byId.get(id) ?? []);
  return (
    <Card title="Claim" aside={<Lease until={task.lease_until} seconds={seconds} />} className="claim">
      <LeaseBar until={task.lease_until} seconds={seconds} />
      <dl className="facts">
        <dt>Owner</dt>
        <dd>
          {task.assigned_agent_id === null ? (
            "nobody"
          ) : (
            <Link to={`/agents?agent=${task.assigned_agent_id}`}>
              {agent.data?.name ?? shown?.agent ?? task.assigned_agent_id}
            </Link>
          )}
          {agent.data !== undefined && <span className="quiet"> {agent.data.runtime}</span>}
        </dd>
        <dt>Fence</dt>
        <dd>{task.fence}</dd>
        <dt>Attempts</dt>
        <dd>
          {task.attempts} <FailedAttempts of={task} />
        </dd>
        {agent.data !== undefined && (
          <>
            <dt>Heartbeat</dt>
            <dd>
              <Ago at={agent.data.last_heartbeat} />
            </dd>
          </>
        )}
        {tree !== null && (
          <>
            <dt>Working tree</dt>
            <dd>
              <code>{tree}</code>
            </dd>
          </>
        )}
        {spent !== null && (
          <>
            <dt>Spending</dt>
            <dd>{describeSpending(spent)}</dd>
          </>
        )}
        <dt>Depends on</dt>
        <dd>
          <Names tasks={needs} none="nothing" />
        </dd>
        <dt>Blocks</dt>
        <dd>
          <Names tasks={behind} none="nothing" />
        </dd>
      </dl>
    </Card>
  );
}

function Names({ tasks, none }: { tasks: MissionTask[]; none: string }) {
  if (tasks.length === 0) return <>{none}</>;
  return (
    <>
      {tasks.map((task, index) => (
        <span key={task.id}>
          {index > 0 && ", "}
          <Link to={`/tasks/${task.id}`}>{task.name}</Link>
        </span>
      ))}
    </>
  );
}

const ENTRY: Record<string, Status> = {
  milestone: { shape: "diamond", tone: "progress", word: "Milestone" },
  progress: { shape: "diamond", tone: "progress", word: "Progress" },
  issue: { shape: "triangle", tone: "attention", word: "Issue" },
  error: { shape: "octagon", tone: "danger", word: "Error" },
  plan: { shape: "ring-dot", tone: "progress", word: "Plan" },
};

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
  const names = useMemo(
    () =>
      new Map([[OURS, "Mission Control"], ...(fleet ?? []).map((agent): [string, string] => [agent.id, agent.name])]),
    [fleet],
  );
  return (
    <Loaded query={checkpoints} what="checkpoints">
      {(data) => {
        const rows = historyOf(story, data.checkpoints, names);
        return (
          <Card title="History and checkpoints" count={rows.length}>
            <ol className="side-list history">
              {rows.map((row, index) => (
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
          </Card>
        );
      }}
    </Loaded>
  );
}

const BUDGET = 8_000;

export function ContextCard({ id }: { id: string }) {
  const context = useTool("task_load_context", { task_id: id, max_tokens: BUDGET });
  return (
    <Loaded query={context} what="the context">
      {(data) => {
        const parts = contextParts(data);
        return (
          <Card
            title="Context for agents"
            aside={`${count(data.token_estimate)} of ${count(BUDGET)} tokens`}
            className="context"
          >
            <div className="meter" role="img" aria-label={`${data.token_estimate} of ${BUDGET} tokens`}>
              {parts.map((part, index) => (
                <span key={part.name} data-shade={index} style={{ width: `${(part.tokens / BUDGET) * 100}%` }} />
              ))}
            </div>
            <dl className="facts counts">
              {parts.map((part) => (
                <div key={part.name} style={{ display: "contents" }}>
                  <dt>{part.name}</dt>
                  <dd className="num">{count(part.tokens)}</dd>
                </div>
              ))}
            </dl>
            <p className="side-words">
              <strong>Next step:</strong> {data.next_step}
            </p>
            {data.omitted.length > 0 && (
              <p className="side-words">Left out: {data.omitted.map((each) => each.what).join(", ")}.</p>
            )}
            <details className="preview">
              <summary>Preview</summary>
              <pre className="text" tabIndex={0}>
                {JSON.stringify(data, null, 2)}
              </pre>
            </details>
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
