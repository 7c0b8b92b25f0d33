"""Rows of checks, rounds and evidence."""

from __future__ import annotations

import pytest

from mission.domain.checks.check import Scope, parse_check
from mission.domain.checks.definition import CheckDefinition
from mission.domain.checks.evidence import Evidence, Place, Role
from mission.domain.checks.round import CheckRound, Purpose
from mission.domain.ids import new_id
from tests.store.rows import NOW


@pytest.fixture
def task(rows):
    return rows.task(rows.mission())


@pytest.fixture
def add_round(tx, task):
    """Adds a round of the task."""

    def add(**fields):
        values = {"purpose": Purpose.GATE, "host_id": "here", "path": "/tree", "repository": "r", "checks": []}
        times = {"created_at": NOW, "updated_at": NOW}
        ids = {"id": new_id("check round"), "task_id": task.id, "mission_id": task.mission_id}
        made = CheckRound(**{**ids, **values, **times, **fields})
        tx.rounds.add(made)
        return made

    return add


@pytest.fixture
def add_evidence(tx, add_round):
    """Adds evidence of a round."""

    def add(round=None, **fields):
        round = round or add_round()
        check = parse_check(fields.pop("check", "make test"), field="check")
        values = {
            "name": check.name,
            "definition": "d",
            "check": check,
            "required": True,
            "role": Role.RESULT,
            "place": Place.TASK,
            "tree": "t",
            "host_id": round.host_id,
            "repository": round.repository,
            "created_at": NOW,
            "updated_at": NOW,
        }
        ids = {"id": new_id("evidence"), "task_id": round.task_id, "mission_id": round.mission_id, "round_id": round.id}
        made = Evidence(**{**ids, **values, **fields})
        tx.evidence.add(made)
        return made

    return add


@pytest.fixture
def define(tx):
    """Adds a defined check."""

    def add(scope, scope_id, check="make test", **fields):
        values = {"position": 1, "created_at": NOW, **fields}
        made = CheckDefinition(scope=Scope(scope), scope_id=scope_id, check=parse_check(check, field="check"), **values)
        tx.checks.add([made])
        return made

    return add
