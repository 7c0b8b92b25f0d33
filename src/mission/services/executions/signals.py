"""Use cases of observations: accept each one once, and apply the policy of its kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from mission.domain import events
from mission.domain.executions.execution import Execution, ExecutionStatus
from mission.domain.executions.observation import PAYLOAD_DIFFERS, Ack, AckStatus, Observation, Origin
from mission.domain.executions.signals import Delivery, Signal, SignalPolicy, SignalType
from mission.domain.ids import new_id
from mission.domain.inbox.item import HOLDING, ItemKind
from mission.domain.tasks import moves
from mission.domain.tasks.moves import Cause
from mission.domain.tasks.states import TaskStatus
from mission.domain.timestamps import format_time
from mission.services.executions import reports
from mission.services.executions import state as executions
from mission.services.inbox import items as inbox
from mission.services.tasks import updates
from mission.services.work import digest_of
from mission.store.transaction import Tx


def observe(tx: Tx, *, execution_id: str, event_id: str, signal: Signal, delivery: Delivery) -> Ack:
    """Accept a signal from any delivery: once per event id, then apply the policy of its kind."""
    execution = tx.executions.find(execution_id)
    if execution is None or not execution.is_live:
        return _rejected(execution_id, event_id, _absence(execution, execution_id))
    digest = digest_of([str(signal.type), signal.payload])
    known = tx.observations.find(execution_id, event_id)
    if known is not None:
        return _repeated(known, digest)
    if not execution.descriptor.allows(signal.type, delivery):
        reason = (
            f"execution {execution_id} does not accept '{signal.type}' over {delivery}: it uses {execution.delivery}"
        )
        return _rejected(execution_id, event_id, reason)
    observation = Observation(
        id=new_id("observation"),
        execution_id=execution_id,
        event_id=event_id,
        origin=Origin.of(delivery),
        type=str(signal.type),
        policy=signal.kind.policy,
        payload=signal.payload,
        digest=digest,
        status=_STATUS[signal.kind.policy],
        created_at=tx.now,
    )
    tx.observations.add(observation)
    tx.emit(events.ObservationCreated(execution=execution, observation=observation))
    if signal.kind.ends_wait:
        execution = _gone_on(tx, execution)
    _EFFECTS[signal.type](tx, execution, observation)
    return _ack(observation, observation.status)


def note(
    tx: Tx, *, execution_id: str, origin: Origin, type: str, payload: Mapping[str, Any], key: str | None = None
) -> Ack:
    """Record an observation of an execution other than its signals; it has no effects.

    It gets an id of ours; `key` identifies what can be observed twice, so that it is recorded once.
    """
    execution = tx.executions.get(execution_id)
    id = new_id("observation")
    digest = digest_of([type, payload])
    known = tx.observations.find(execution_id, key) if key is not None else None
    if known is not None:
        return _repeated(known, digest)
    observation = Observation(
        id=id,
        execution_id=execution_id,
        event_id=key or id,
        origin=origin,
        type=type,
        policy=SignalPolicy.DIAGNOSTIC,
        payload=dict(payload),
        digest=digest,
        status=AckStatus.RECORDED_ONLY,
        created_at=tx.now,
    )
    tx.observations.add(observation)
    tx.emit(events.ObservationCreated(execution=execution, observation=observation))
    return _ack(observation, observation.status)


def _absence(execution: Execution | None, id: str) -> str:
    if execution is None:
        return f"there is no execution {id[:60]}"
    return f"execution {execution.id} has ended ({execution.status}) and accepts no more signals"


def _rejected(execution_id: str, event_id: str, reason: str) -> Ack:
    return Ack(status=AckStatus.REJECTED, execution_id=execution_id, event_id=event_id, reason=reason)


def _repeated(known: Observation, digest: str) -> Ack:
    return _ack(known, AckStatus.DUPLICATE, reason=None if known.digest == digest else PAYLOAD_DIFFERS)


def _ack(observation: Observation, status: AckStatus, reason: str | None = None) -> Ack:
    return Ack(
        status=status,
        execution_id=observation.execution_id,
        event_id=observation.event_id,
        observation_id=observation.id,
        reason=reason,
    )


def _progress(tx: Tx, execution: Execution, observation: Observation) -> None:
    progress = {**observation.payload, "at": format_time(observation.created_at)}
    executions.save(tx, replace(execution, progress=progress, updated_at=tx.now))


def _gone_on(tx: Tx, execution: Execution) -> Execution:
    """Return the execution without its open questions; if it still waited, it continued without an answer, and so does
    its task."""
    execution = replace(execution, asked_last=())
    if execution.status is not ExecutionStatus.WAITING:
        return execution
    running = execution.move_to(ExecutionStatus.RUNNING, at=tx.now)
    tx.executions.save(running)
    inbox.withdraw(tx, reason="the agent continued without an answer", execution_id=execution.id, kinds=sorted(HOLDING))
    task = tx.tasks.get(execution.task_id)
    if task.status is TaskStatus.PAUSED and task.hold is not None and task.owner_id == execution.agent_id:
        updates.apply(tx, moves.resumed(task, at=tx.now))
    return running


def _needs_input(tx: Tx, execution: Execution, observation: Observation) -> None:
    question = observation.payload["question"]
    _wait_for_person(tx, execution, ItemKind.QUESTION, question, choices=observation.payload.get("choices", ()))


def _blocked(tx: Tx, execution: Execution, observation: Observation) -> None:
    reason = observation.payload["reason"]
    _wait_for_person(tx, execution, ItemKind.BLOCKER, reason, dedupe_key=f"hold {execution.task_id}")


def _wait_for_person(
    tx: Tx,
    execution: Execution,
    kind: ItemKind,
    words: str,
    *,
    choices: Sequence[Mapping[str, Any]] = (),
    dedupe_key: str | None = None,
) -> None:
    """Ask a person with the agent's words, and hold its task until they are answered."""
    item = inbox.open_item(
        tx,
        kind=kind,
        subject=words,
        body=words,
        mission_id=execution.mission_id,
        task_id=execution.task_id,
        agent_id=execution.agent_id,
        execution_id=execution.id,
        choices=choices,
        dedupe_key=dedupe_key,
    )
    asked = [*(id for id in execution.asked_last if id != item.id), item.id]
    executions.save(tx, replace(execution.move_to(ExecutionStatus.WAITING, at=tx.now), asked_last=asked))
    task = tx.tasks.get(execution.task_id)
    if task.owner_id != execution.agent_id or task.status not in {TaskStatus.IN_PROGRESS, TaskStatus.PAUSED}:
        updates.apply(tx, moves.reported(task))
        return
    cause = Cause.ASKED if kind is ItemKind.QUESTION else Cause.BLOCKED
    updates.apply(tx, moves.held(task, item.hold, at=tx.now, cause=cause))


def _claim(tx: Tx, execution: Execution, observation: Observation) -> None:
    """Store a report with the execution and publish it to the task's readers. It ends only what the agent asked.

    In a run, work that is reported as done becomes a candidate at once.
    """
    claim = {"type": observation.type, **observation.payload, "at": format_time(observation.created_at)}
    claiming = replace(execution, claim=claim, updated_at=tx.now)
    executions.save(tx, claiming)
    if not reports.submit(tx, claiming):
        updates.apply(tx, moves.reported(tx.tasks.get(execution.task_id)))


def _message(tx: Tx, execution: Execution, observation: Observation) -> None:
    """Do nothing more: the observation itself is the record."""


_STATUS = {
    SignalPolicy.PROGRESS: AckStatus.PROMOTED,
    SignalPolicy.INPUT_REQUEST: AckStatus.PROMOTED,
    SignalPolicy.CLAIM: AckStatus.RECORDED_ONLY,
    SignalPolicy.AUDIT_MESSAGE: AckStatus.ACCEPTED,
}

_EFFECTS: Mapping[SignalType, Callable[[Tx, Execution, Observation], None]] = {
    SignalType.PROGRESS: _progress,
    SignalType.NEEDS_INPUT: _needs_input,
    SignalType.BLOCKED: _blocked,
    SignalType.READY_FOR_VERIFICATION: _claim,
    SignalType.COMPLETED_CLAIM: _claim,
    SignalType.FAILED_CLAIM: _claim,
    SignalType.MESSAGE: _message,
}
