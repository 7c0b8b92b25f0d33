// One launch: its terminal, live or as it was, what the agent signalled, and what the operator can tell it.
import { lazy, Suspense, useState, type FormEvent } from "react";
import { Link, useParams } from "react-router";

import { useAction, useTool } from "@/api/queries";
import type { MessageKind, WholeExecution } from "@/api/types";
import { useOnline } from "@/live/live";
import { Icon } from "@/ui/icons";
import { Card, Id, Time } from "@/ui/parts";
import { Empty, Loaded, Skeleton } from "@/ui/states";
import { StatusPill } from "@/ui/status-icon";
import { span } from "@/ui/text";
import { statusOf, used } from "./executions-page";
import "../agents/agents.css";
import "../mission/mission.css";
import "./executions.css";

const TerminalView = lazy(() => import("./terminal").then((module) => ({ default: module.TerminalView })));
const LIVE = new Set(["starting", "running", "waiting"]);
const TELLS: [MessageKind, string][] = [
  ["nudge", "Nudge"],
  ["checkpoint", "Checkpoint"],
  ["interrupt", "Interrupt"],
  ["resume", "Resume"],
];

export function ExecutionPage() {
  const { id = "" } = useParams();
  const run = useTool("execution_get", { id });
  return (
    <div className="page">
      <Loaded query={run} what="The execution could not be read" rows={8}>
        {(data) => (
          <>
            <title>{`${data.agent_name} · Mission Control`}</title>
            <nav className="crumbs meta" aria-label="Where this is">
              <Link to="/executions">Executions</Link>
              <Icon name="chevron" size={10} />
              <Id id={data.id} />
            </nav>
            <div className="page-head">
              <h1>{data.agent_name}</h1>
              <StatusPill status={statusOf(data)} />
              <Link to={`/tasks/${data.task_id}`} className="quiet">
                {data.task_name}
              </Link>
              <Stop run={data} />
            </div>
            <div className="columns">
              <div>
                <section className="card terminal-card" aria-label="Terminal">
                  <header className="card-head">
                    <span className="quiet">
                      {[data.adapter, data.mode, used(data), data.duration_seconds !== null ? span(data.duration_seconds) : ""]
                        .filter(Boolean)
                        .join(" · ")}
                    </span>
                    <span className="meta">{LIVE.has(data.status) ? "Shift+Esc leaves the terminal" : "transcript"}</span>
                  </header>
                  <Suspense fallback={<Skeleton rows={8} />}>
                    <TerminalView id={data.id} key={`${data.id}-${LIVE.has(data.status)}`} />
                  </Suspense>
                  {LIVE.has(data.status) && <Tell run={data} />}
                </section>
              </div>
              <div>
                <Signals id={data.id} />
                <Told run={data} />
              </div>
            </div>
          </>
        )}
      </Loaded>
    </div>
  );
}

function Stop({ run }: { run: WholeExecution }) {
  const stop = useAction("execution_stop");
  const online = useOnline();
  if (!LIVE.has(run.status)) return null;
  return (
    <div className="actions">
      <button type="button" className="button danger" disabled={!online || stop.isPending} onClick={() => stop.mutate({ id: run.id })}>
        Stop run
      </button>
    </div>
  );
}

function Tell({ run }: { run: WholeExecution }) {
  const tell = useAction("execution_message");
  const online = useOnline();
  const [text, setText] = useState("");
  const send = (event: FormEvent) => {
    event.preventDefault();
    tell.mutate({ execution_id: run.id, kind: "text", text }, { onSuccess: () => setText("") });
  };
  return (
    <form className="tell" onSubmit={send}>
      <input
        className="field"
        aria-label={`Tell ${run.agent_name}`}
        placeholder={`Tell ${run.agent_name}`}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <button className="button" disabled={!online || text.trim() === "" || tell.isPending}>
        Send
      </button>
      {TELLS.map(([kind, words]) => (
        <button
          key={kind}
          type="button"
          className="button"
          disabled={!online || tell.isPending}
          onClick={() => tell.mutate({ execution_id: run.id, kind })}
        >
          {words}
        </button>
      ))}
      {tell.error !== null && (
        <p className="wrong" role="alert">
          {tell.error.message} {tell.error.hint}
        </p>
      )}
    </form>
  );
}

function Signals({ id }: { id: string }) {
  const signals = useTool("execution_observations", { execution_id: id, limit: 50 });
  return (
    <Card title="Signals" aside="what the agent said, and what it did">
      <Loaded query={signals} what="The signals could not be read">
        {(data) =>
          data.observations.length === 0 ? (
            <Empty title="No signal yet">Progress, questions and claims of the agent stand here.</Empty>
          ) : (
            <ul className="rows-of-two">
              {data.observations.map((each) => (
                <li key={each.id}>
                  <div>
                    {each.type.replaceAll("_", " ")}: {wordsOf(each.payload)} <span className="meta">{each.status}</span>
                  </div>
                  <span className="meta">
                    <Time at={each.created_at} />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}

function wordsOf(payload: Record<string, unknown>): string {
  const words = payload["summary"] ?? payload["question"] ?? payload["reason"] ?? payload["text"];
  return typeof words === "string" ? words : "";
}

function Told({ run }: { run: WholeExecution }) {
  if (run.messages.length === 0) return null;
  return (
    <Card title="Told by you" count={run.messages.length}>
      <ul className="rows-of-two">
        {run.messages.map((message) => (
          <li key={message.id}>
            <div>
              {message.text ?? message.kind} <span className="meta">{message.state}</span>
            </div>
            <span className="meta">
              <Time at={message.created_at} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
