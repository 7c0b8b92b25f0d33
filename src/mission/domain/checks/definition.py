"""Defined checks: which apply to a task, where each comes from, and who may add one."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from mission.domain.checks.check import MAX_CHECKS, Approval, Check, CheckKind, Scope
from mission.domain.checks.round import DefinedCheck
from mission.domain.errors import InvalidInput
from mission.domain.timestamps import format_time

_ORDER = (Scope.REPOSITORY, Scope.MISSION, Scope.TASK)


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckDefinition:
    """One check as it is defined for a repository, a mission or a task."""

    scope: Scope
    scope_id: str
    final: bool = False
    """Whether it runs only on the integrated result of a mission."""
    check: Check
    position: int
    path: str | None = None
    approval: Approval = Approval.APPROVED
    agent_id: str | None = None
    """The agent that proposed it; None for the operator."""
    mission_id: str | None = None
    item_id: str | None = None
    created_at: datetime

    @property
    def defined(self) -> DefinedCheck:
        """Return the check as it takes effect for a task."""
        return DefinedCheck(
            check=self.check,
            origin=self.scope,
            path=self.path,
            approval=self.approval,
            definition=definition_digest(self.check, self.path),
        )

    def record(self) -> dict[str, Any]:
        """Return the definition as lists show it."""
        return {
            **self.check.as_dict(),
            "kind": str(self.check.kind),
            "required": self.check.required,
            "origin": str(self.scope),
            "approval": str(self.approval),
            "agent_id": self.agent_id,
            "created_at": format_time(self.created_at),
        }


def definition_digest(check: Check, path: str | None) -> str:
    """Return the digest that evidence is bound to: what was asked and the PATH it ran with.

    Globs are compared, not run, so the PATH does not matter for them.
    """
    with_path = path or "" if check.kind is CheckKind.RUN else ""
    return hashlib.sha256(f"{check.digest}\0{with_path}".encode("utf-8", "surrogatepass")).hexdigest()


def in_effect(definitions: Sequence[CheckDefinition]) -> list[CheckDefinition]:
    """Return the checks that apply to a task; a narrower scope never replaces a check of a wider one."""
    found: dict[str, CheckDefinition] = {}
    for scope in _ORDER:
        for each in definitions:
            if each.scope is scope and each.approval is not Approval.REFUSED:
                found.setdefault(each.check.name, each)
    return list(found.values())


def check_addable(new: Sequence[Check], existing: Sequence[CheckDefinition], *, field: str) -> None:
    """Raise InvalidInput if an agent would replace a check: it may only add new names."""
    if len(new) + len(existing) > MAX_CHECKS:
        raise InvalidInput(
            f"{field}: {len(new) + len(existing)} checks would be in effect (limit {MAX_CHECKS})",
            hint="Combine several into one command.",
            field=field,
        )
    names = {each.check.name for each in existing}
    taken = [check.name for check in new if check.name in names]
    if taken:
        raise InvalidInput(
            f"{field}: a check named '{taken[0]}' is already in effect",
            hint="Agents can add checks but not replace them. Choose another name, or ask the operator.",
            field=field,
            names=taken[:20],
        )
