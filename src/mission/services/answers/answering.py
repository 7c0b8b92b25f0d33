"""Use cases of a person's answer: record it with the task, deliver it to the agent, end or resume reviewed work."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import chain, count
from typing import Any, TypeVar

from mission.domain.inbox.item import ACCEPT, SEND_BACK, InboxItem, ItemKind
from mission.domain.message import HUMAN, OPERATOR, MessageType, reply_subject
from mission.domain.missions.phase import MOVES as PHASE_MOVES
from mission.domain.tasks import moves
from mission.domain.tasks.journal import OPTIONS, DecisionCategory, EntryKind, answer_reasoning
from mission.domain.tasks.task import Quality, Task, TaskStatus
from mission.services.answers import failed_attempts as failures
from mission.services.answers import resume_rules, resumption
from mission.services.messages import mailboxes
from mission.services.messages import sending as mail
from mission.services.missions import planning
from mission.services.missions.planning import NewTask
from mission.services.repositories.working_trees import Trees
from mission.services.tasks import completion as finishing
from mission.services.tasks import journal
from mission.services.tasks import recovery_packet as takeover
from mission.services.tasks import updates as tasks
from mission.services.tasks.completion import Completed, TaskResult
from mission.services.work import Work
from mission.services.workspaces import per_task as housing
from mission.store.transaction import Tx

Answer = TypeVar("Answer")

LONGEST_NAME = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class AnswerResult:
    """An item that was closed, the message to its agent, and the follow-up task that was added, if any."""

    item: InboxItem
    letter: str | None = None
    follow_up: str | None = None


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
    answer: Callable[[AnswerResult], Answer],
) -> Answer:
    """Answer an item. Accepting work under review completes its task with the changes that were measured; a failed task
    can be given to another agent, or to a new one by the name of one of the `clients`."""
    wish: dict[str, Any] = {"item_id": item_id, "text": text, "choice": choice, "by": by}
    other = await work.read(failures.other_agent, item_id=item_id, text=text, choice=choice, clients=clients)
    if other is not None:
        return await _hand_over(work, trees, agent_id=other, lease=lease, wish=wish, answer=answer)
    accepted = await work.read(_accepted, item_id=item_id, choice=choice)
    if accepted is None:
        return await work.write(record, **wish, answer=answer)
    given: list[AnswerResult] = []

    def finish(tx: Tx, **ending: Any) -> Completed:
        given[:] = [record(tx, **wish)]
        return finishing.finish(tx, **ending)

    return await finishing.complete(
        work,
        trees,
        task_id=accepted.id,
        agent_id=None,
        fence=None,
        ending=_accepted_ending(accepted),
        record=finish,
        answer=lambda _completed: answer(given[0]),
    )


async def _hand_over(
    work: Work,
    trees: Trees,
    *,
    agent_id: str,
    lease: timedelta,
    wish: Mapping[str, Any],
    answer: Callable[[AnswerResult], Answer],
) -> Answer:
    task = await work.read(_task_of, item_id=wish["item_id"])
    looked = await takeover.look_into(trees, task)
    houses = await housing.prepare(work, trees, task_id=task.id, agent_id=agent_id)

    def hand_over(tx: Tx) -> AnswerResult:
        given = record(tx, **wish, hands_over=True)
        letter = failures.hand_over(tx, given.item, agent_id=agent_id, lease=lease, looked=looked, houses=houses)
        return replace(given, letter=letter)

    return await work.write(hand_over, answer=answer)


def record(tx: Tx, *, item_id: str, text: str, choice: int | None, by: str, hands_over: bool = False) -> AnswerResult:
    """Close the item with its answer and notify everyone concerned; with `hands_over`, a failed task goes to another
    agent."""
    item = resumption.answer(tx, item_id=item_id, text=text, choice=choice, by=by)
    if item.kind is ItemKind.FAILURE:
        failures.answered(tx, item, hands_over=hands_over)
        return AnswerResult(item=item)
    resume_rules.closed(tx, item)
    if item.task_id is not None:
        _note(tx, item)
    letter = _reply(tx, item) if item.agent_id is not None else None
    sent_back = item.kind is ItemKind.REVIEW and item.chosen == SEND_BACK
    return AnswerResult(item=item, letter=letter, follow_up=_send_back(tx, item) if sent_back else None)


def dismiss(tx: Tx, *, item_id: str, by: str, reason: str | None = None) -> InboxItem:
    """Dismiss an item without an answer and notify the agent that asked."""
    item = resumption.dismiss(tx, item_id=item_id, by=by, reason=reason)
    resume_rules.closed(tx, item)
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
    letter = mail.send(
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
    return letter.id


def _task_of(tx: Tx, *, item_id: str) -> Task:
    return tx.tasks.get(tx.inbox.get(item_id).task_id or "")


def _accepted(tx: Tx, *, item_id: str, choice: int | None) -> Task | None:
    """Return the task under review that this answer accepts, if it does."""
    item = tx.inbox.get(item_id)
    if item.kind is not ItemKind.REVIEW or item.task_id is None or not item.is_open:
        return None
    task = tx.tasks.get(item.task_id)
    accepts = choice is not None and 1 <= choice <= len(item.choices) and item.choices[choice - 1] == ACCEPT
    return task if accepts and task.status is TaskStatus.REVIEW else None


def _accepted_ending(task: Task) -> TaskResult:
    return TaskResult(
        status=TaskStatus.COMPLETED,
        quality=Quality.SUCCESS,
        outcome={"summary": "accepted after review", **(task.outcome or {}), "manual_review_needed": False},
        metadata=task.metadata,
        phase_complete=False,
        by_hand=True,
    )


def _send_back(tx: Tx, item: InboxItem) -> str | None:
    """Create a follow-up task for what is missing, or reopen the same task if it has not ended. Return the new id."""
    task = tx.tasks.get(item.task_id or "")
    if task.status is TaskStatus.REVIEW:
        tasks.apply(tx, moves.sent_back(task, at=tx.now))
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
    name = f"Follow up: {task.name}"[: LONGEST_NAME - 10]
    names = chain([name], (f"{name} ({number})" for number in count(2)))
    return next(free for free in names if not tx.plans.known(task.mission_id, [free]))


def _open_phase(tx: Tx, task: Task) -> int:
    """Return the number of the task's own phase, else of the next open one, else of a new one."""
    known = tx.plans.phases(task.mission_id)
    later = [number for number, (_, status) in known.items() if number >= task.phase_number and PHASE_MOVES[status]]
    return min(later, default=max(known, default=0) + 1)
