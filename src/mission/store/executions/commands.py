"""Queries about the commands of executions; the table is named after their first kind, the operator's messages."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from sqlalchemy import Connection, Select, bindparam, or_, select

from mission.domain.errors import NotFound
from mission.domain.executions.command import OPERATOR_KINDS, CommandKind, ExecutionCommand
from mission.domain.executions.execution import OperatorMessageState
from mission.store.columns import UtcTime
from mission.store.sql.entity_mapper import Mapper
from mission.store.tables import executions, operator_messages

_MAPPER = Mapper(operator_messages, ExecutionCommand)
_PENDING = operator_messages.c.state == str(OperatorMessageState.PENDING)
_OLDEST_FIRST = (operator_messages.c.created_at, operator_messages.c.id)
_NEWEST_FIRST = (operator_messages.c.created_at.desc(), operator_messages.c.id.desc())
_MESSAGES = (
    _MAPPER.select.where(
        operator_messages.c.execution_id == bindparam("execution_id"),
        operator_messages.c.kind.in_(sorted(map(str, OPERATOR_KINDS))),
    )
    .order_by(*_NEWEST_FIRST)
    .limit(bindparam("limit"))
)
_DUE = (
    select(*_MAPPER.columns)
    .join(executions, executions.c.id == operator_messages.c.execution_id)
    .where(
        _PENDING,
        executions.c.host_id == bindparam("host_id"),
        or_(
            operator_messages.c.not_before.is_(None),
            operator_messages.c.not_before <= bindparam("now", type_=UtcTime),
        ),
    )
    .order_by(*_OLDEST_FIRST)
)
_PENDING_OF = _MAPPER.select.where(_PENDING, operator_messages.c.execution_id == bindparam("execution_id")).order_by(
    *_OLDEST_FIRST
)
_LAUNCHING = _MAPPER.select.where(_PENDING, operator_messages.c.launched == bindparam("execution_id")).limit(1)
_NEWEST = (
    _MAPPER.select.where(
        operator_messages.c.execution_id == bindparam("execution_id"), operator_messages.c.kind == bindparam("kind")
    )
    .order_by(*_NEWEST_FIRST)
    .limit(1)
)


class Commands:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, id: str) -> ExecutionCommand:
        command = _MAPPER.get(self._connection, id)
        if command is None:
            raise NotFound(f"there is no operator message {id[:60]}", message_id=id[:60])
        return command

    def add(self, command: ExecutionCommand) -> None:
        _MAPPER.insert(self._connection, command)

    def save(self, command: ExecutionCommand) -> None:
        _MAPPER.save(self._connection, command)

    def messages(self, execution_id: str, *, limit: int) -> list[ExecutionCommand]:
        """List the operator messages of the execution, newest first."""
        return list(self._all(_MESSAGES, execution_id=execution_id, limit=limit))

    def due(self, *, host_id: str, now: datetime) -> list[ExecutionCommand]:
        """List the commands that are due on a host, oldest first."""
        return list(self._all(_DUE, host_id=host_id, now=now))

    def pending_of(self, execution_id: str) -> list[ExecutionCommand]:
        """List the pending commands of an execution, oldest first."""
        return list(self._all(_PENDING_OF, execution_id=execution_id))

    def launching(self, execution_id: str) -> ExecutionCommand | None:
        """Return the pending command that started this execution, if one did."""
        return next(self._all(_LAUNCHING, execution_id=execution_id), None)

    def newest(self, execution_id: str, kind: CommandKind) -> ExecutionCommand | None:
        return next(self._all(_NEWEST, execution_id=execution_id, kind=str(kind)), None)

    def _all(self, statement: Select[tuple[object, ...]], **values: object) -> Iterator[ExecutionCommand]:
        return (_MAPPER.entity(row) for row in self._connection.execute(statement, values))
