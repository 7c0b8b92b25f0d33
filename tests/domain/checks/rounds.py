"""Rounds and evidence for tests of the rules."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from mission.domain.checks.check import Approval, Check, Scope, parse_check
from mission.domain.checks.definition import definition_digest
from mission.domain.checks.evidence import Evidence, EvidenceState, Place, Role
from mission.domain.checks.round import CheckRound, DefinedCheck, Purpose

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
_numbers = count()


def defined(check: Any, *, approval: Approval = Approval.APPROVED) -> DefinedCheck:
    parsed = check if isinstance(check, Check) else parse_check(check, field="check")
    return DefinedCheck(
        check=parsed, origin=Scope.MISSION, approval=approval, definition=definition_digest(parsed, None)
    )


def a_round(*checks: DefinedCheck, **fields: Any) -> CheckRound:
    given = {"take": 1, "tree": TREE, "purpose": Purpose.GATE, **fields}
    return CheckRound(
        id="cr_0000000001",
        task_id="t_0000000001",
        mission_id="m_0000000001",
        host_id="here",
        path="/tree",
        repository="r_0000000001",
        checks=[each.as_dict() for each in checks],
        created_at=NOW,
        updated_at=NOW,
        **given,
    )


def a_row(check: DefinedCheck, state: EvidenceState, *, role: Role = Role.RESULT, **fields: Any) -> Evidence:
    """Return evidence; each one is a moment later than the one before."""
    number = next(_numbers)
    at = NOW + timedelta(seconds=number)
    given = {
        "mission_id": "m_0000000001",
        "repository": "r_0000000001",
        "take": 1,
        "tree": TREE if role is Role.RESULT else "start",
        "definition": check.definition,
        "created_at": at,
        **fields,
    }
    return Evidence(
        id=f"ev_{number:010d}",
        task_id="t_0000000001",
        round_id="cr_0000000001",
        name=check.check.name,
        check=check.check,
        required=check.check.required,
        role=role,
        place=Place.TASK,
        host_id="here",
        state=state,
        updated_at=at,
        **given,
    )
