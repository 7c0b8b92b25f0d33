"""The intake of signals from any transport: checked, recorded once, audited, acknowledged."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic_core import to_json

from mission.domain.errors import InternalError, InvalidInput, MissionError, TransientError
from mission.domain.executions.observation import Ack, AckStatus
from mission.domain.executions.signals import (
    MAX_EVENT_ID_LENGTH,
    MAX_SIGNAL_BYTES,
    Delivery,
    Signal,
    read_event_id,
    read_signal,
)
from mission.gateway.audit.audit_trail import AuditEntry, AuditTrail
from mission.gateway.caller import Identity
from mission.gateway.heartbeats import HeartbeatRecorder
from mission.gateway.retry import Retry
from mission.services.executions import signals
from mission.store.database import Database
from mission.store.transaction import Tx

log = logging.getLogger(__name__)


class Signals:
    """The intake of signals from launched agents. A rejection is also an acknowledgement, with a reason."""

    def __init__(self, database: Database, *, audit: AuditTrail, heartbeats: HeartbeatRecorder, retry: Retry) -> None:
        self._database = database
        self._retry = retry
        self._audit = audit
        self._heartbeats = heartbeats

    async def deliver(self, execution_id: str, type: Any, event_id: Any, payload: Any, *, delivery: Delivery) -> Ack:
        """Record one signal of an execution; `payload` follows the schema of its kind."""
        given = {"agentExecutionId": execution_id, "eventId": event_id, "payload": payload}
        entry = self._audit.start(tool=f"signal:{str(type)[:40]}", transport=str(delivery), arguments=given)
        try:
            _check_size(payload)
            id, signal = read_event_id(event_id), read_signal(type, payload)
        except InvalidInput as problem:
            self._audit.add(entry.finished(problem, self._database.clock()))
            return rejection(execution_id, event_id, problem.message)
        return await self._observe(entry, execution_id, id, signal, delivery)

    def refuse(self, execution_id: str, type: str, event_id: Any, reason: str, *, delivery: Delivery) -> Ack:
        """Reject input that is not a signal of the execution, and audit the rejection."""
        given = {"agentExecutionId": execution_id, "eventId": event_id}
        entry = self._audit.start(tool=f"signal:{type[:40]}", transport=str(delivery), arguments=given)
        self._audit.add(entry.finished(InvalidInput(reason), self._database.clock()))
        return rejection(execution_id, event_id, reason)

    async def _observe(
        self, entry: AuditEntry, execution_id: str, event_id: str, signal: Signal, delivery: Delivery
    ) -> Ack:
        def observed(tx: Tx) -> Ack:
            execution = tx.executions.find(execution_id)
            if execution is not None:
                entry.identity = Identity(agent=tx.agents.get(execution.agent_id))
            ack = signals.observe(tx, execution_id=execution_id, event_id=event_id, signal=signal, delivery=delivery)
            subject = {"mission_id": execution.mission_id, "task_id": execution.task_id} if execution else {}
            entry.result = {**ack.as_dict(), **subject}
            return ack

        async def attempt() -> Ack:
            return await self._database.write(observed, record=entry)

        try:
            ack = await self._retry.run(attempt)
        except Exception as error:  # a printing agent cannot get an error, so none may escape
            if isinstance(error, TransientError):
                log.warning("a signal of %s could not be recorded (%s): %s", execution_id, entry.id, error.message)
            else:
                log.exception("a signal of %s could not be recorded (%s)", execution_id, entry.id)
            if not entry.written:
                self._audit.add(entry.finished(error, self._database.clock()))
            shown = error if isinstance(error, MissionError) else InternalError()
            shown = shown.as_incident(entry.id) if isinstance(shown, InternalError) else shown
            refused = rejection(execution_id, event_id, f"{shown.message}; send it again with the same eventId")
            return replace(refused, is_passing=isinstance(error, TransientError))
        if ack.status is not AckStatus.REJECTED and entry.identity is not None and entry.identity.agent is not None:
            self._heartbeats.note(entry.identity.agent.id)
        return ack


def rejection(execution_id: str, event_id: Any, reason: str) -> Ack:
    shown = event_id[:MAX_EVENT_ID_LENGTH] if isinstance(event_id, str) else ""
    return Ack(status=AckStatus.REJECTED, execution_id=execution_id, event_id=shown, reason=reason)


def _check_size(payload: Any) -> None:
    size = len(to_json(payload)) if isinstance(payload, Mapping) else 0
    if size > MAX_SIGNAL_BYTES:
        raise InvalidInput(f"the signal is too large: {size:,} bytes (limit {MAX_SIGNAL_BYTES:,})")
