// The card of an inbox item: who asks what, choices, free text, and what it blocks.
import type { FormEvent, RefObject } from "react";
import { Link } from "react-router";

import type { ItemRow } from "@/api/types";
import { useTool, useWholeList } from "@/api/use-tool";
import { useOnline } from "@/live/live-connection";
import { ExpandableText } from "@/ui/expandable-text";
import { sendOnEnter } from "@/ui/form";
import { span } from "@/ui/format";
import { useNow } from "@/ui/hooks/use-server-clock";
import { QUEUE, statusFor } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";
import { useLineComments } from "../changes/line-comments";
import { ReassignButton } from "../tasks/assign-form";
import {
  answerOf,
  answerSummary,
  type Choice,
  choicesOf,
  type Draft,
  describeBlocked,
  sendLabel,
  withComments,
} from "./answer-draft";
import { CommentsToSend } from "./comments-to-send";
import { IncidentReport } from "./incident-report";
import { type OutgoingAnswer, outbox } from "./outbox";
import { ProposedCommands } from "./proposed-commands";
import { canReassign, closeReassigned, isProposal, quickActionsFor } from "./quick-actions";
import { ReviewActions, ReviewDetails } from "./review-details";
import { ReviewSummary } from "./review-summary";
import { SentLine } from "./sent-answers";
import "./item-card.css";

const GIVE = "Give to another";
const ANY_PROGRAM = "command";

interface CardProps {
  item: ItemRow;
  chosen: boolean;
  draft: Draft;
  outgoing: OutgoingAnswer | undefined;
  change: (draft: Draft) => void;
  choose: () => void;
  field: RefObject<HTMLTextAreaElement | null>;
  /** Whether a review shows goal, evidence and diff; the page of its task has them already. */
  withReview?: boolean;
}

/** Show an item with its form, or one line with Undo while its answer is being sent. */
export function ItemCard({ outgoing, withReview = true, ...props }: CardProps) {
  const { item, chosen, choose } = props;
  return (
    <li>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: j and k select an item */}
      <article
        className="item card"
        data-chosen={chosen || undefined}
        aria-label={item.subject}
        onClick={choose}
        data-item={item.id}
      >
        <StatusIcon status={statusFor(QUEUE, item.kind)} size={18} decorative />
        <div className="item-body">
          <ItemHead item={item} />
          <h2>{item.subject}</h2>
          {outgoing !== undefined ? (
            <SentLine outgoing={outgoing} />
          ) : (
            <>
              {item.body !== "" && item.body !== item.subject && !isProposal(item) && <ItemText item={item} />}
              {withReview && item.kind === "review" && item.task_id !== null && <ReviewSummary taskId={item.task_id} />}
              {chosen && isProposal(item) && <ProposedCommands itemId={item.id} />}
              {chosen && withReview && item.kind === "review" && item.task_id !== null && (
                <ReviewDetails taskId={item.task_id} missionId={item.mission_id} review={item.id} />
              )}
              <AnswerForm {...props} />
            </>
          )}
        </div>
      </article>
    </li>
  );
}

function ItemText({ item }: { item: ItemRow }) {
  if (item.kind === "escalation") return <IncidentReport subject={item.subject} text={item.body} />;
  return (
    <p className="item-text">
      <ExpandableText text={item.body} />
    </p>
  );
}

function AnswerForm({ item, chosen, draft, change, choose, field }: Omit<CardProps, "outgoing" | "withReview">) {
  const online = useOnline();
  const comments = useLineComments(item.id);
  const whole = withComments(item, draft, comments.all);
  const ready = answerOf(item, whole);
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (ready !== null && online) outbox.put(item, { kind: "answer", args: ready }, answerSummary(item, whole));
  };
  const shown = { ...draft, choice: whole.choice };
  return (
    <form onSubmit={send} data-answer>
      {chosen && <Choices item={item} draft={shown} change={change} field={field} />}
      {chosen && <CommentsToSend comments={comments} sent={whole !== draft} />}
      <div className="item-foot actions">
        {chosen ? (
          <>
            <button type="submit" className="button primary" disabled={!online || ready === null}>
              {sendLabel(item, whole)} <kbd aria-hidden="true">⏎</kbd>
            </button>
            {item.choices.length === 0 && <QuickActions item={item} />}
            {item.kind === "review" && <ReviewActions item={item} />}
            {!isProposal(item) && (
              <button
                type="button"
                className="button"
                disabled={!online}
                onClick={() =>
                  outbox.put(item, { kind: "dismiss", args: { id: item.id } }, "Dismissed without an answer")
                }
              >
                Dismiss
              </button>
            )}
          </>
        ) : (
          <>
            <QuickActions item={item} />
            <button type="button" className="button" onClick={choose}>
              {openLabel(item)}
            </button>
          </>
        )}
        {item.execution_id !== null && (
          <Link className="button" to={`/executions/${item.execution_id}`}>
            Open terminal
          </Link>
        )}
        <span className="holds">
          {describeBlocked(item)}
          {item.critical && <span className="critical"> · critical path</span>}
        </span>
      </div>
    </form>
  );
}

/** Return the label of the button that selects an item. */
function openLabel(item: ItemRow): string {
  if (item.kind === "review") return "Review…";
  if (isProposal(item)) return "Show commands…";
  return item.choices.length > 0 ? "Other answer" : "Answer";
}

/** Show actions that work without selecting the item. */
function QuickActions({ item }: { item: ItemRow }) {
  const online = useOnline();
  return (
    <>
      {quickActionsFor(item).map((act) => (
        <button
          key={act.label}
          type="button"
          className="button"
          disabled={!online}
          onClick={(event) => {
            event.stopPropagation();
            outbox.put(item, act.action, act.words);
          }}
        >
          {act.label}
        </button>
      ))}
      {canReassign(item) && <ReassignButton taskId={item.task_id!} done={() => closeReassigned(item)} />}
    </>
  );
}

function ItemHead({ item }: { item: ItemRow }) {
  const now = useNow();
  return (
    <div className="item-head">
      <strong>{statusFor(QUEUE, item.kind).word}</strong>
      {item.agent_name !== null && <Link to={`/agents?agent=${item.agent_id}`}>{item.agent_name}</Link>}
      {item.task_id !== null && item.task_name !== null ? (
        <Link to={`/tasks/${item.task_id}`}>{item.task_name}</Link>
      ) : (
        item.mission_id !== null && <Link to={`/missions/${item.mission_id}`}>{item.mission_name}</Link>
      )}
      {item.count > 1 && <span>{item.count} times</span>}
      <time className="age" dateTime={item.created_at} title={item.created_at}>
        {span((now - Date.parse(item.created_at)) / 1_000)}
      </time>
    </div>
  );
}

interface ChoicesProps {
  item: ItemRow;
  draft: Draft;
  change: (draft: Draft) => void;
  field: RefObject<HTMLTextAreaElement | null>;
}

function Choices({ item, draft, change, field }: ChoicesProps) {
  const choices = choicesOf(item);
  const words = { draft, change, field };
  if (choices.length === 0) return <AnswerText {...words} label="Your answer" placeholder="Write an answer" />;
  return (
    <>
      <fieldset className="choices">
        <legend className="hidden">Choices</legend>
        {choices.map((choice) =>
          choice.fixed ? (
            <Option
              key={choice.number}
              choice={choice}
              name={item.id}
              checked={draft.choice === choice.number}
              pick={() => change({ ...draft, choice: choice.number })}
            />
          ) : (
            <div
              key={choice.number}
              className="choice own-words"
              data-checked={draft.choice === choice.number || undefined}
            >
              <kbd aria-hidden="true">{choice.number}</kbd>
              {item.kind === "failure" && choice.label === GIVE ? (
                <AgentOrClientSelect choice={choice} draft={draft} change={change} />
              ) : (
                <AnswerText
                  {...words}
                  choice={choice.number}
                  label={choice.label}
                  placeholder={`${choice.label}: ${choice.placeholder}`}
                />
              )}
            </div>
          ),
        )}
      </fieldset>
      {choices.every((choice) => choice.fixed) && (
        <AnswerText {...words} label="Comment" placeholder="Comment (optional)" />
      )}
    </>
  );
}

interface AnswerTextProps extends Omit<ChoicesProps, "item"> {
  label: string;
  placeholder: string;
  /** The choice that this text is for; without one it goes with any choice. */
  choice?: number;
}

function AnswerText({ draft, change, field, label, placeholder, choice }: AnswerTextProps) {
  const own = choice === undefined || draft.choice === choice;
  return (
    <textarea
      ref={field}
      className="field"
      data-choice={choice}
      rows={own && draft.text.includes("\n") ? 4 : 1}
      aria-label={label}
      placeholder={placeholder}
      value={own ? draft.text : ""}
      onChange={(event) => change({ text: event.target.value, choice: choice ?? draft.choice })}
      onKeyDown={sendOnEnter}
    />
  );
}

/** Select who takes over a task whose agent failed: a present agent, or a client to launch. */
function AgentOrClientSelect({
  choice,
  draft,
  change,
}: {
  choice: Choice;
  draft: Draft;
  change: (draft: Draft) => void;
}) {
  const agents = useWholeList("agent_list", { status: ["online", "busy"] }).data?.agents ?? [];
  const clients = (useTool("adapter_list", {}).data?.adapters ?? []).filter(
    (client) => client.installed && client.name !== ANY_PROGRAM,
  );
  return (
    <select
      className="field"
      data-choice={choice.number}
      aria-label={choice.label}
      value={draft.choice === choice.number ? draft.text : ""}
      onChange={(event) => change({ choice: choice.number, text: event.target.value })}
    >
      <option value="">{choice.label}…</option>
      <optgroup label="Available agents">
        {agents.map((agent) => (
          <option key={agent.id} value={agent.id}>
            {agent.name}
            {agent.current_task_id !== null ? " (has a task)" : ""}
          </option>
        ))}
      </optgroup>
      <optgroup label="Launch a client">
        {clients.map((client) => (
          <option key={client.name} value={client.name}>
            {client.title}
          </option>
        ))}
      </optgroup>
    </select>
  );
}

interface OptionProps {
  choice: Choice;
  name: string;
  checked: boolean;
  pick: () => void;
}

function Option({ choice, name, checked, pick }: OptionProps) {
  return (
    <label className="choice">
      <input type="radio" className="hidden" name={name} checked={checked} onChange={pick} />
      <kbd aria-hidden="true">{choice.number}</kbd>
      <span>
        {choice.label}
        {choice.more !== null && <small>{choice.more}</small>}
      </span>
      {choice.preferred && <span className="prefers meta">preferred by the agent</span>}
    </label>
  );
}
