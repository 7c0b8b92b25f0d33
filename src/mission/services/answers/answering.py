"""Use cases of a person's answer: record it with the task, deliver it to the agent, end or resume reviewed work."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import chain, count
from typing import Any

from mission.domain.inbox.item import SEND_BACK, InboxItem, ItemKind, is_approval
from mission.domain.message import HUMAN, OPERATOR, MessageType, reply_subject
from mission.domain.missions.phase import MOVES as PHASE_MOVES
from mission.domain.tasks import moves
from mission.domain.tasks.journal import OPTIONS, DecisionCategory, EntryKind, answer_reasoning
from mission.domain.tasks.states import TaskStatus
from mission.domain.tasks.task import Quality, Task
from mission.services.answers import failed_attempts, resume_rules, resumption
from mission.services.checks import approval, gate, settling
from mission.services.messages import mailboxes, sending
from mission.services.missions import planning
from mission.services.missions.planning import NewTask
from mission.services.repositories.working_trees import Trees
from mission.services.runs.merging import verdicts
from mission.services.tasks import claims, completion, journal, updates
from mission.services.tasks.claims import PreparedClaim
from mission.services.tasks.completion import PreparedCompletion, TaskResult
from mission.services.work import Work
from mission.store.transaction import Tx

MAX_NAME_LENGTH = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class AnswerResult:
    """An item that was closed, the message to its agent, and the follow-up task that was added, if any."""

    item: InboxItem
    message_id: str | None = None
    follow_up: str | None = None
    snapshots: Mapping[str, Mapping[str, Any]] | None = None
    """Snapshots that the accepted task no longer needs."""


async def answer(
    work: Work,
    trees: Trees,
    *,
    item_id: str,
    text: str,
    choice: int | None,
    by: str,
    lease: timedelta,
    clients: Collection[str],
) -> AnswerResult:
    """Answer an item. Accepting work under review completes its task with the changes that were measured; a failed task
    can be given to another agent, or to a new one by the name of one of the `clients`."""
    given: dict[str, Any] = {"item_id": item_id, "text": text, "choice": choice, "by": by}
    other = await work.read(failed_attempts.other_agent, item_id=item_id, text=text, choice=choice, clients=clients)
    if other is not None:
        task = await work.read(_task_of, item_id=item_id)
        claim = await claims.prepare(work, trees, task_id=task.id, agent_id=other)
        return await work.finish(hand_over, agent_id=other, lease=lease, prepared=claim, **given)
    accepted = await work.read(_accepted, item_id=item_id, choice=choice)
    if accepted is None:
        return await work.finish(record, **given)
    prepared = await work.read(settling.approved, task=accepted) or await completion.prepare(
        work, trees, task_id=accepted.id, agent_id=None, fence=None, result=_accepted_result(accepted), anywhere=True
    )
    result = await work.finish(accept, prepared=prepared, **given)
    await trees.forget(result.snapshots)
    return result


def hand_over(tx: Tx, *, agent_id: str, lease: timedelta, prepared: PreparedClaim, **given: Any) -> AnswerResult:
    """Close a failure and claim its task for another agent; `given` is the answer."""
    result = record(tx, **given, hands_over=True)
    message_id = failed_attempts.hand_over(tx, result.item, agent_id=agent_id, lease=lease, prepared=prepared)
    return replace(result, message_id=message_id)


def accept(tx: Tx, *, prepared: PreparedCompletion, **given: Any) -> AnswerResult:
    """Close a review and complete its task, or let its checks decide; `given` is the answer."""
    result = record(tx, **given)
    if prepared.checks:
        gate.start(tx, prepared=prepared)
        return result
    return replace(result, snapshots=completion.record(tx, prepared=prepared).snapshots)


def record(tx: Tx, *, item_id: str, text: str, choice: int | None, by: str, hands_over: bool = False) -> AnswerResult:
    """Close the item with its answer and notify everyone concerned; with `hands_over`, a failed task goes to another
    agent."""
    item = resumption.answer(tx, item_id=item_id, text=text, choice=choice, by=by)
    if item.kind is ItemKind.FAILURE:
        failed_attempts.answered(tx, item, hands_over=hands_over)
        return AnswerResult(item=item)
    resume_rules.closed(tx, item)
    approval.answered(tx, item)
    if item.task_id is not None:
        _note(tx, item)
    message_id = _reply(tx, item) if item.agent_id is not None else None
    if verdicts.answered(tx, item):
        return AnswerResult(item=item, message_id=message_id)
    sent_back = item.kind is ItemKind.REVIEW and item.chosen == SEND_BACK
    return AnswerResult(item=item, message_id=message_id, follow_up=_send_back(tx, item) if sent_back else None)


def dismiss(tx: Tx, *, item_id: str, by: str, reason: str | None = None) -> InboxItem:
    """Dismiss an item without an answer and notify the agent that asked."""
    item = resumption.dismiss(tx, item_id=item_id, by=by, reason=reason)
    resume_rules.closed(tx, item)
    approval.answered(tx, item)
    return item


def _note(tx: Tx, item: InboxItem) -> None:
    """Record the answer as a decision of the task: agents of every dialect read those, with or without a mailbox."""
    journal.log(
        tx,
        kind=EntryKind.DECISION,
        task_id=item.task_id or "",
        summary=f"{item.subject} → {item.answer_in_words}",
        detail={
            "category": DecisionCategory.OTHER,
            "question": item.subject,
            OPTIONS: item.labels,
            "chosen": item.answer_in_words,
            "reasoning": answer_reasoning(by=item.closed_by or OPERATOR, item_id=item.id),
            "trade_offs": None,
        },
        agent_id=None,
        fence=None,
    )


def _reply(tx: Tx, item: InboxItem) -> str:
    """Put the answer into the agent's mailbox and mark the message it answers as read. Return the new message's id."""
    assert item.agent_id is not None
    assert item.answer is not None
    if item.message_id is not None:
        mailboxes.read(tx, id=item.message_id, reader=HUMAN)
    message = sending.send(
        tx,
        sender=HUMAN,
        recipient=item.agent_id,
        type=MessageType.RESPONSE,
        subject=reply_subject(item.subject),
        body=item.answer,
        mission_id=item.mission_id,
        task_id=item.task_id,
        reply_to_id=item.message_id,
    )
    return message.id


def _task_of(tx: Tx, *, item_id: str) -> Task:
    return tx.tasks.get(tx.inbox.get(item_id).task_id or "")


def _accepted(tx: Tx, *, item_id: str, choice: int | None) -> Task | None:
    """Return the task under review that this answer accepts, if it does."""
    item = tx.inbox.get(item_id)
    if item.kind is not ItemKind.REVIEW or item.task_id is None or not item.is_open:
        return None
    task = tx.tasks.get(item.task_id)
    candidate = tx.candidates.open_of_task(task.id)
    if candidate is not None and verdicts.is_about(item, candidate):
        return None  # in a run an approved result is completed by its merge
    approves = choice is not None and 1 <= choice <= len(item.choices) and is_approval(item.choices[choice - 1])
    return task if approves and task.status is TaskStatus.REVIEW else None


def _accepted_result(task: Task) -> TaskResult:
    return TaskResult(
        status=TaskStatus.COMPLETED,
        quality=Quality.SUCCESS,
        outcome={"summary": "accepted after review", **(task.outcome or {}), "manual_review_needed": False},
        metadata=task.metadata,
        phase_complete=False,
        by_hand=True,
        reviewed=True,
    )


def _send_back(tx: Tx, item: InboxItem) -> str | None:
    """Create a follow-up task for what is missing, or reopen the same task if it has not ended. Return the new id."""
    task = tx.tasks.get(item.task_id or "")
    if task.status is TaskStatus.REVIEW:
        updates.apply(tx, moves.sent_back(task, at=tx.now))
        return None
    planned = planning.extend(
        tx,
        mission_id=task.mission_id,
        new=[
            NewTask(
                name=_free_name(tx, task),
                description=f"{item.answer}\n\nSent back after a review of {task.id} '{task.name}': {task.goal}",
                sequence=_open_phase(tx, task),
                depends_on=[task.id] if task.status is TaskStatus.COMPLETED else [],
                requires=task.requires,
            )
        ],
    )
    return planned.task_ids[0]


def _free_name(tx: Tx, task: Task) -> str:
    name = f"Follow up: {task.name}"[: MAX_NAME_LENGTH - 10]
    names = chain([name], (f"{name} ({number})" for number in count(2)))
    return next(free for free in names if not tx.plans.known(task.mission_id, [free]))


def _open_phase(tx: Tx, task: Task) -> int:
    """Return the number of the task's own phase, else of the next open one, else of a new one."""
    known = tx.plans.phases(task.mission_id)
    later = [number for number, (_, status) in known.items() if number >= task.phase_number and PHASE_MOVES[status]]
    return min(later, default=max(known, default=0) + 1)
