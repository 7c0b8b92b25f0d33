// Technical facts about a task, folded away: ids, fence, working tree, and the context that an agent gets.
import { useState } from "react";

import type { TaskRecord } from "@/api/types";
import { useTool } from "@/api/use-tool";
import { CopyableId, Time } from "@/ui/basics";
import { count } from "@/ui/format";
import { Loaded } from "@/ui/query-states";
import { contextParts } from "./context-parts";

export function TaskDetails({ task, tree }: { task: TaskRecord; tree: string | null }) {
  const [open, setOpen] = useState(false);
  return (
    <details className="card technical" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Details</summary>
      <dl className="facts">
        <dt>ID</dt>
        <dd>
          <CopyableId id={task.id} />
        </dd>
        <dt>Fence</dt>
        <dd>{task.fence}</dd>
        <dt>Working tree</dt>
        <dd>{tree === null ? "none" : <CopyableId id={tree} what="path" />}</dd>
        <dt>Created</dt>
        <dd>
          <Time at={task.created_at} />
        </dd>
        {task.claimed_at !== null && (
          <>
            <dt>Claimed</dt>
            <dd>
              <Time at={task.claimed_at} />
            </dd>
          </>
        )}
        {task.requires.length > 0 && (
          <>
            <dt>Requires</dt>
            <dd>{task.requires.join(", ")}</dd>
          </>
        )}
      </dl>
      {open && <AgentContext id={task.id} />}
    </details>
  );
}

const BUDGET = 8_000;

function AgentContext({ id }: { id: string }) {
  const context = useTool("task_load_context", { task_id: id, max_tokens: BUDGET });
  return (
    <Loaded query={context} what="the context">
      {(data) => {
        const parts = contextParts(data);
        return (
          <section className="context">
            <h3>
              Context for agents{" "}
              <span className="count">
                {count(data.token_estimate)} of {count(BUDGET)} tokens
              </span>
            </h3>
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
          </section>
        );
      }}
    </Loaded>
  );
}
