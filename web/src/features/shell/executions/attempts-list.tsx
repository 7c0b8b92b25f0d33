// The launched agents that tried a task: how each attempt ended, why, how long it took and what it cost.
import { Link } from "react-router";

import type { ExecutionRecord } from "@/api/types";
import { ExpandableText } from "@/ui/expandable-text";
import { span } from "@/ui/format";
import { useNow } from "@/ui/hooks/use-server-clock";
import { StatusIcon } from "@/ui/status/status-icon";
import { useAgentsById } from "../use-agents-by-id";
import { costOf, executionStatus, failureOf, isLive, secondsOf, tokensOf } from "./execution-status";
import "./attempts-list.css";

const SHOWN = 300;

export function AttemptsList({ executions }: { executions: readonly ExecutionRecord[] }) {
  const now = useNow();
  const agents = useAgentsById(executions.map((each) => each.agent_id));
  return (
    <ol className="attempts lined" reversed>
      {executions.map((each) => {
        const status = executionStatus(each);
        const failure = failureOf(each);
        const facts = [
          span(secondsOf(each, now)),
          tokensOf(each),
          costOf(each) || (isLive(each) ? "" : "cost unknown"),
        ];
        return (
          <li key={each.id} className="row">
            <StatusIcon status={status} decorative />
            <div className="words">
              <strong>{agents.get(each.agent_id)?.name ?? each.adapter}</strong>{" "}
              <span className={failure === null ? "quiet" : "failed-attempts"}>{status.word}</span>
              {failure !== null && (
                <p>
                  <ExpandableText text={failure} maxLength={SHOWN} />
                </p>
              )}
              <p className="meta">
                {each.adapter} · {facts.filter(Boolean).join(" · ")}
              </p>
            </div>
            <Link to={`/executions/${each.id}`}>{isLive(each) ? "Open terminal" : "Replay"}</Link>
          </li>
        );
      })}
    </ol>
  );
}
