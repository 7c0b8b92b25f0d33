// What waits for a person, the most urgent first; choices stand on the row.
import { useMemo, useState } from "react";
import { Link, useNavigate } from "react-router";

import { useAction } from "@/api/queries";
import type { ItemRow } from "@/api/types";
import { useWaiting } from "@/features/shell/counts";
import { useKeys } from "@/features/shell/keys";
import { useOnline } from "@/live/live";
import { useNow } from "@/ui/clock";
import { Card } from "@/ui/parts";
import { Empty, Loaded } from "@/ui/states";
import { look, QUEUE } from "@/ui/status";
import { StatusIcon } from "@/ui/status-icon";
import { plural, span } from "@/ui/text";

const SHOWN = 8;
const CHOICES = 3;

export function NeedsYou() {
  const waiting = useWaiting();
  const [picked, pick] = useState(0);
  const items = (waiting.data?.items ?? []).slice(0, SHOWN);
  const chosen = Math.min(picked, Math.max(0, items.length - 1));
  const navigate = useNavigate();
  const answer = useAnswer();
  useKeys(
    useMemo(
      () => ({
        j: () => pick(Math.min(chosen + 1, items.length - 1)),
        k: () => pick(Math.max(chosen - 1, 0)),
        Enter: (event) => {
          const item = items[chosen];
          if (item !== undefined && event.target === document.body) void navigate(`/inbox?item=${item.id}`);
        },
        ...Object.fromEntries(
          [1, 2, 3, 4, 5, 6].map((number) => [
            String(number),
            () => {
              const item = items[chosen];
              if (item !== undefined && hasValue(item, number)) answer.mutate({ id: item.id, choice: number });
            },
          ]),
        ),
      }),
      [items, chosen, navigate, answer],
    ),
  );
  return (
    <Card title="Needs you" count={waiting.data?.total ?? 0} aside="most held up first" className="needs">
      <Loaded query={waiting} what="What waits for you could not be read">
        {(data) =>
          data.items.length === 0 ? (
            <Empty title="Nothing waits for you">Questions, blockers and reviews of agents stand here, with what they hold up.</Empty>
          ) : (
            <ul>
              {items.map((item, row) => (
                <Row key={item.id} item={item} chosen={row === chosen} />
              ))}
              {data.total > items.length && (
                <li className="more">
                  <Link to="/inbox">{data.total - items.length} more in the inbox</Link>
                </li>
              )}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}

export function useAnswer() {
  return useAction("queue_answer");
}

function hasValue(item: ItemRow, number: number): boolean {
  const choice = item.choices[number - 1];
  return choice !== undefined && choice["kind"] !== "manual";
}

function Row({ item, chosen }: { item: ItemRow; chosen: boolean }) {
  const now = useNow();
  const online = useOnline();
  const answer = useAnswer();
  const age = span((now - Date.parse(item.created_at)) / 1_000);
  const by = [item.agent_name, item.task_name].filter(Boolean).join(" · ");
  return (
    <li className="need" data-chosen={chosen || undefined}>
      <StatusIcon status={look(QUEUE, item.kind)} />
      <div className="words">
        <Link to={`/inbox?item=${item.id}`} className="subject">
          {item.subject}
        </Link>
        <div className="meta cut">{by || item.mission_name || look(QUEUE, item.kind).word}</div>
      </div>
      <div className="holds quiet">
        {item.holds_tasks > 0 && (
          <>
            holds {plural(item.holds_tasks, "task")}
            {item.holds_agents > 0 && ` · ${plural(item.holds_agents, "agent")}`}
          </>
        )}
      </div>
      <div className="age quiet">{age}</div>
      <div className="actions">
        {item.choices.slice(0, CHOICES).map((choice, index) =>
          choice["kind"] === "manual" ? null : (
            <button
              key={index}
              type="button"
              className="button small"
              disabled={!online || answer.isPending}
              onClick={() => answer.mutate({ id: item.id, choice: index + 1 })}
            >
              <kbd aria-hidden="true">{index + 1}</kbd> {String(choice["label"])}
            </button>
          ),
        )}
        <Link className="button small" to={`/inbox?item=${item.id}`}>
          {item.choices.length > 0 ? "…" : "Answer"}
        </Link>
      </div>
      {answer.error !== null && (
        <p className="error" role="alert">
          {answer.error.message} {answer.error.hint}
        </p>
      )}
    </li>
  );
}
