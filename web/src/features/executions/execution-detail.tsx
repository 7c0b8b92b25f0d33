// One execution: its terminal, controls, signals and sent messages.
import { type FormEvent, useState } from "react";
import { Link } from "react-router";

import type { ItemRow, OperatorMessageKind, WholeExecution } from "@/api/types";
import { useAction, useTool } from "@/api/use-tool";
import { ItemCards } from "@/features/shell/answering/item-cards";
import { costOf, executionStatus, isLive, secondsOf, tokensOf } from "@/features/shell/executions/execution-status";
import { signalStatus, signalWords } from "@/features/shell/executions/last-signal";
import { useOnline } from "@/live/live-connection";
import { Card, CopyableId, Time } from "@/ui/basics";
import { ExpandableText } from "@/ui/expandable-text";
import { ConfirmButton, ErrorMessage } from "@/ui/form";
import { span } from "@/ui/format";
import { useNow } from "@/ui/hooks/use-server-clock";
import { Empty, Loaded } from "@/ui/query-states";
import { Lease } from "@/ui/status/lease";
import { StatusIcon, StatusPill } from "@/ui/status/status-icon";
import { Terminal } from "./terminal/terminal";

const SHOWN = 300;

/** Show one execution; `lease` is the end of its agent's lease on the task, if any. */
export function ExecutionDetail({ id, lease }: { id: string; lease: string | null }) {
  const execution = useTool("execution_get", { id });
  return (
    <Loaded query={execution} what="the execution" rows={8}>
      {(data) => (
        <>
          <Questions execution={data} />
          <section className="card execution" aria-label={`Execution: ${data.agent_name}`}>
            <ExecutionHead execution={data} lease={lease} />
            <Terminal key={data.id} id={data.id} name={data.agent_name} />
            {isLive(data) && <ExecutionControls execution={data} />}
          </section>
          <Signals id={data.id} />
          <SentMessages execution={data} />
        </>
      )}
    </Loaded>
  );
}

/** Show what the agent waits for, answerable in place. */
function Questions({ execution }: { execution: WholeExecution }) {
  const items = useTool("queue_list", { task_id: execution.task_id }).data?.items ?? [];
  const own = (item: ItemRow) => item.execution_id === execution.id;
  return <ItemCards label="Waiting for you" items={items.filter(own)} among={own} withReview={false} />;
}

function ExecutionHead({ execution, lease }: { execution: WholeExecution; lease: string | null }) {
  const now = useNow();
  const facts = [
    execution.adapter,
    span(secondsOf(execution, now)),
    tokensOf(execution) || "tokens unknown",
    costOf(execution) || "cost unknown",
  ];
  return (
    <header className="execution-head">
      <div className="title-line">
        <StatusPill status={executionStatus(execution)} />
        <strong>{execution.agent_name}</strong>
        <Link to={`/tasks/${execution.task_id}`}>{execution.task_name}</Link>
        <span className="chips">
          <span className="chip">{execution.mode}</span>
          <span className="chip">
            <CopyableId id={execution.id} />
          </span>
        </span>
      </div>
      <div className="quiet fact-line">
        {facts.map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
        {execution.resumes !== null && (
          <Link to={`/executions/${execution.resumes}`}>resumed from an earlier execution</Link>
        )}
        <Lease until={lease} />
      </div>
      {execution.reason !== null && <p className="quiet">{execution.reason}</p>}
    </header>
  );
}

const CONTROLS: [OperatorMessageKind, string, string][] = [
  ["nudge", "Nudge", "Ask the agent to continue"],
  ["checkpoint", "Checkpoint", "Ask the agent to save its progress"],
  ["interrupt", "Interrupt", "Ask the agent to stop and wait"],
];

function ExecutionControls({ execution }: { execution: WholeExecution }) {
  const online = useOnline();
  const message = useAction("execution_message");
  const stop = useAction("execution_stop");
  const [text, setText] = useState("");
  const off = !online || message.isPending || stop.isPending;
  const error = message.error ?? stop.error;
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== "")
      message.mutate({ execution_id: execution.id, kind: "text", text: text.trim() }, { onSuccess: () => setText("") });
  };
  return (
    <form className="steering" onSubmit={send}>
      <input
        className="field"
        aria-label={`Message to ${execution.agent_name}`}
        placeholder={`Message to ${execution.agent_name}`}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <button type="submit" className="button" disabled={off || text.trim() === ""}>
        Send
      </button>
      {CONTROLS.map(([kind, word, why]) => (
        <button
          key={kind}
          type="button"
          className="button"
          title={why}
          disabled={off}
          onClick={() => message.mutate({ execution_id: execution.id, kind })}
        >
          {word}
        </button>
      ))}
      <ConfirmButton
        word="Stop"
        again="Stop now"
        title="Stop the process and release its task"
        off={off}
        act={() => stop.mutate({ id: execution.id })}
      />
      <ErrorMessage error={error} />
    </form>
  );
}

/** What became of a signal, where that is not what one expects. */
const UNUSUAL: Record<string, string> = { duplicate: "repeated", rejected: "not accepted" };

function Signals({ id }: { id: string }) {
  const observations = useTool("execution_observations", { execution_id: id, limit: 100 });
  return (
    <Card title="Signals" aside="reported by the agent">
      <Loaded query={observations} what="signals">
        {(data) =>
          data.observations.length === 0 ? (
            <Empty title="No signals yet">Signals reported by the agent appear here.</Empty>
          ) : (
            <ol className="side-list signals">
              {[...data.observations]
                .sort((one, other) => other.created_at.localeCompare(one.created_at))
                .map((each) => (
                  <li key={each.id}>
                    <span className="meta">
                      <Time at={each.created_at} />
                    </span>
                    <StatusIcon status={signalStatus(each.type)} size={14} decorative />
                    <span className="words">
                      <span className="quiet">{signalStatus(each.type).word}</span>{" "}
                      <ExpandableText text={signalWords(each.payload)} maxLength={SHOWN} />
                    </span>
                    {UNUSUAL[each.status] !== undefined && <span className="chip meta">{UNUSUAL[each.status]}</span>}
                  </li>
                ))}
            </ol>
          )
        }
      </Loaded>
    </Card>
  );
}

const KINDS: Record<string, string> = {
  nudge: "Nudge",
  checkpoint: "Checkpoint",
  interrupt: "Interrupt",
  resume: "Resume",
};

function SentMessages({ execution }: { execution: WholeExecution }) {
  if (execution.messages.length === 0) return null;
  return (
    <Card title="Sent messages" count={execution.messages.length}>
      <ol className="side-list signals sent">
        {execution.messages.map((message) => (
          <li key={message.id}>
            <span className="meta">
              <Time at={message.created_at} />
            </span>
            <span className="words">
              {message.text ?? KINDS[message.kind] ?? message.kind}
              {message.reason !== null && <span className="quiet"> {message.reason}</span>}
            </span>
            <span className="chip meta">{message.state === "pending" ? "pending" : message.state}</span>
          </li>
        ))}
      </ol>
    </Card>
  );
}
