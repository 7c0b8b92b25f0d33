"""Queries about the checks that are defined for repositories, missions and tasks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, and_, bindparam, delete, insert, or_, select, update

from mission.domain.checks.check import Approval, Check, Scope
from mission.domain.checks.definition import CheckDefinition
from mission.store.tables import checks, tasks

_IN_ORDER = (checks.c.position, checks.c.created_at, checks.c.name)
_OF_SCOPE = (
    select(checks)
    .where(
        checks.c.scope == bindparam("scope"),
        checks.c.scope_id == bindparam("scope_id"),
        checks.c.final == bindparam("final"),
    )
    .order_by(*_IN_ORDER)
)
_FOR_TASK = (
    select(checks)
    .where(
        or_(
            *(
                and_(checks.c.scope == str(scope), checks.c.scope_id == bindparam(str(scope)))
                for scope in (Scope.REPOSITORY, Scope.MISSION, Scope.TASK)
            )
        ),
        checks.c.final == bindparam("final"),
    )
    .order_by(*_IN_ORDER)
)
_OF_ITEM = select(checks).where(checks.c.item_id == bindparam("item_id")).order_by(*_IN_ORDER)
_ADD = insert(checks)
_REMOVE = delete(checks).where(
    checks.c.scope == bindparam("wanted_scope"),
    checks.c.scope_id == bindparam("wanted_id"),
    checks.c.final == bindparam("wanted_final"),
)
_REMOVE_REFUSED = delete(checks).where(
    checks.c.item_id == bindparam("wanted_item"), checks.c.approval == str(Approval.PENDING)
)
_APPROVE = (
    update(checks)
    .where(checks.c.item_id == bindparam("wanted_item"), checks.c.approval == str(Approval.PENDING))
    .values(approval=str(Approval.APPROVED))
)


_DROP_ORPHANS = delete(checks).where(
    checks.c.mission_id == bindparam("wanted_mission"),
    checks.c.scope == str(Scope.TASK),
    checks.c.scope_id.not_in(select(tasks.c.id).where(tasks.c.mission_id == bindparam("wanted_mission"))),
)
_APPROVED = select(checks.c.definition).where(
    checks.c.mission_id == bindparam("mission_id"), checks.c.approval == str(Approval.APPROVED)
)


class CheckDefinitions:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def of(self, scope: Scope, scope_id: str, *, final: bool = False) -> list[CheckDefinition]:
        """List the checks of one scope, in order."""
        values = {"scope": str(scope), "scope_id": scope_id, "final": final}
        return [_definition(row) for row in self._connection.execute(_OF_SCOPE, values)]

    def for_task(self, *, repository_id: str | None, mission_id: str, task_id: str) -> list[CheckDefinition]:
        """List the checks of a task's repository, of its mission and its own."""
        values = {"repository": repository_id or "", "mission": mission_id, "task": task_id, "final": False}
        return [_definition(row) for row in self._connection.execute(_FOR_TASK, values)]

    def of_item(self, item_id: str) -> list[CheckDefinition]:
        """List the checks that an inbox item asks about."""
        return [_definition(row) for row in self._connection.execute(_OF_ITEM, {"item_id": item_id})]

    def add(self, definitions: Sequence[CheckDefinition]) -> None:
        if definitions:
            self._connection.execute(_ADD, [_row(each) for each in definitions])

    def remove(self, scope: Scope, scope_id: str, *, final: bool) -> None:
        """Remove every check of one scope."""
        values = {"wanted_scope": str(scope), "wanted_id": scope_id, "wanted_final": final}
        self._connection.execute(_REMOVE, values)

    def drop_orphans(self, mission_id: str) -> None:
        """Remove the checks of tasks that a new plan of the mission has replaced."""
        self._connection.execute(_DROP_ORPHANS, {"wanted_mission": mission_id})

    def approved_digests(self, mission_id: str) -> set[str]:
        """Return the digests of all checks that may run for a mission or one of its tasks."""
        rows = self._connection.execute(_APPROVED, {"mission_id": mission_id}).scalars()
        return {Check.from_dict(row).digest for row in rows}

    def approve(self, item_id: str) -> None:
        """Approve the checks that an inbox item asks about."""
        self._connection.execute(_APPROVE, {"wanted_item": item_id})

    def drop_refused(self, item_id: str) -> None:
        """Remove the checks that an inbox item asks about: a person refused them."""
        self._connection.execute(_REMOVE_REFUSED, {"wanted_item": item_id})


def _row(definition: CheckDefinition) -> dict[str, Any]:
    return {
        "scope": str(definition.scope),
        "scope_id": definition.scope_id,
        "final": definition.final,
        "name": definition.check.name,
        "position": definition.position,
        "definition": definition.check.as_dict(),
        "path": definition.path,
        "approval": str(definition.approval),
        "agent_id": definition.agent_id,
        "mission_id": definition.mission_id,
        "item_id": definition.item_id,
        "created_at": definition.created_at,
    }


def _definition(row: Any) -> CheckDefinition:
    return CheckDefinition(
        scope=Scope(row.scope),
        scope_id=row.scope_id,
        final=row.final,
        check=Check.from_dict(row.definition),
        position=row.position,
        path=row.path,
        approval=Approval(row.approval),
        agent_id=row.agent_id,
        mission_id=row.mission_id,
        item_id=row.item_id,
        created_at=row.created_at,
    )
