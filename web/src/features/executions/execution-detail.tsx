// One execution in large: its terminal, what can be sent to it, and what it signalled.
import { useState, type FormEvent } from "react";
import { Link } from "react-router";

import { useAction, useTool } from "@/api/use-tool";
import type { OperatorMessageKind, ObservationRecord, WholeExecution } from "@/api/types";
import { useOnline } from "@/live/live-connection";
import { useNow } from "@/ui/hooks/use-server-clock";
import { Refusal, SureButton } from "@/ui/form";
import { Lease } from "@/ui/status/lease";
import { Card, Id, Time } from "@/ui/basics";
import { Empty, Loaded } from "@/ui/query-states";
import type { Status } from "@/ui/status/status";
import { StatusIcon, StatusPill } from "@/ui/status/status-icon";
import { span } from "@/ui/format";
import { costOf, isLive, statusOf, tokensOf } from "./execution-status";
import { Terminal } from "./terminal/terminal";

/** `lease` is how long its agent holds the task, while it does. */
export function Detail({ id, lease }: { id: string; lease: string | null }) {
  const execution = useTool("execution_get", { id });
  return (
    <Loaded query={execution} what="The execution could not be read" rows={8}>
      {(data) => (
        <>
          <section className="card execution" aria-label={`Execution of ${data.agent_name}`}>
            <Head execution={data} lease={lease} />
            <Terminal key={data.id} id={data.id} name={data.agent_name} />
            {isLive(data) && <Steering execution={data} />}
          </section>
          <Signals id={data.id} />
          <Told execution={data} />
        </>
      )}
    </Loaded>
  );
}

function Head({ execution, lease }: { execution: WholeExecution; lease: string | null }) {
  const now = useNow();
  const seconds = execution.duration_seconds ?? (now - Date.parse(execution.started_at ?? execution.created_at)) / 1_000;
  const facts = [execution.adapter, span(seconds), tokensOf(execution), costOf(execution)].filter(Boolean);
  return (
    <header className="execution-head">
      <div className="title-line">
        <StatusPill status={statusOf(execution)} />
        <strong>{execution.agent_name}</strong>
        <Link to={`/tasks/${execution.task_id}`}>{execution.task_name}</Link>
        <span className="chips">
          <span className="chip">{execution.mode}</span>
          <span className="chip">
            <Id id={execution.id} />
          </span>
        </span>
      </div>
      <div className="quiet fact-line">
        {facts.map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
        {execution.resumes !== null && <Link to={`/executions/${execution.resumes}`}>goes on from an earlier one</Link>}
        <Lease until={lease} />
      </div>
      {execution.reason !== null && <p className="quiet">{execution.reason}</p>}
    </header>
  );
}

const STEERING: [OperatorMessageKind, string, string][] = [
  ["nudge", "Nudge", "Ask it to go on"],
  ["checkpoint", "Checkpoint", "Ask it to save where it stands"],
  ["interrupt", "Interrupt", "Ask it to stop what it does and wait"],
];

function Steering({ execution }: { execution: WholeExecution }) {
  const online = useOnline();
  const tell = useAction("execution_message");
  const stop = useAction("execution_stop");
  const [text, setText] = useState("");
  const off = !online || tell.isPending || stop.isPending;
  const error = tell.error ?? stop.error;
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== "")
      tell.mutate({ execution_id: execution.id, kind: "text", text: text.trim() }, { onSuccess: () => setText("") });
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
      <button className="button" disabled={off || text.trim() === ""}>
        Send
      </button>
      {STEERING.map(([kind, word, why]) => (
        <button
          key={kind}
          type="button"
          className="button"
          title={why}
          disabled={off}
          onClick={() => tell.mutate({ execution_id: execution.id, kind })}
        >
          {word}
        </button>
      ))}
      <SureButton
        word="Stop"
        again="Stop it now"
        title="End its process; its task becomes free for others"
        off={off}
        act={() => stop.mutate({ id: execution.id })}
      />
      <Refusal error={error} />
    </form>
  );
}

const POLICY: Record<string, Status> = {
  progress: { shape: "diamond", tone: "progress", word: "Progress" },
  claim: { shape: "dashed-check", tone: "success", word: "Claim" },
  "input-request": { shape: "diamond-question", tone: "attention", word: "Asks you" },
  "audit-message": { shape: "ring", tone: "neutral", word: "Note" },
  diagnostic: { shape: "ring-slash", tone: "muted", word: "Diagnostic" },
};

/** What a signal says in words. */
export function signalWords(observation: Pick<ObservationRecord, "payload">): string {
  const { payload } = observation;
  const said = payload["summary"] ?? payload["question"] ?? payload["message"] ?? payload["reason"] ?? payload["text"];
  return typeof said === "string" ? said : "";
}

function Signals({ id }: { id: string }) {
  const observations = useTool("execution_observations", { execution_id: id, limit: 100 });
  return (
    <Card title="Signals" aside="what the agent said, and what it did">
      <Loaded query={observations} what="The signals could not be read">
        {(data) =>
          data.observations.length === 0 ? (
            <Empty title="No signal yet">What the agent reports about itself stands here, with what became of it.</Empty>
          ) : (
            <ol className="side-list signals">
              {[...data.observations]
                .sort((one, other) => other.created_at.localeCompare(one.created_at))
                .map((each) => (
                  <li key={each.id}>
                    <span className="meta">
                      <Time at={each.created_at} />
                    </span>
                    <StatusIcon status={POLICY[each.policy] ?? POLICY["diagnostic"]!} size={14} />
                    <span className="words">
                      {each.type}
                      {signalWords(each) !== "" && `: ${signalWords(each)}`}
                    </span>
                    <span className="chip meta">{each.status}</span>
                  </li>
                ))}
            </ol>
          )
        }
      </Loaded>
    </Card>
  );
}

const KINDS: Record<string, string> = { nudge: "Nudge", checkpoint: "Checkpoint", interrupt: "Interrupt", resume: "Resume" };

function Told({ execution }: { execution: WholeExecution }) {
  if (execution.messages.length === 0) return null;
  return (
    <Card title="Sent to it" count={execution.messages.length}>
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
            <span className="chip meta">{message.state === "pending" ? "on its way" : message.state}</span>
          </li>
        ))}
      </ol>
    </Card>
  );
}
