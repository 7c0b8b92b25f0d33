"""Which checks count for a task, and what an agent may add."""

from __future__ import annotations

import pytest

from mission.domain.checks.check import Approval, Scope, parse_check
from mission.domain.checks.definition import CheckDefinition, check_addable, definition_digest, in_effect
from mission.domain.errors import InvalidInput
from tests.domain.checks.rounds import NOW


def definition(scope: Scope, check, **fields) -> CheckDefinition:
    return CheckDefinition(
        scope=scope, scope_id="x", check=parse_check(check, field="c"), position=1, created_at=NOW, **fields
    )


def test_checks_of_all_scopes_count_and_a_narrower_one_never_replaces_a_wider_one():
    mission = definition(Scope.MISSION, {"name": "tests", "run": "make test"})
    weaker = definition(Scope.TASK, {"name": "tests", "run": "true"})
    own = definition(Scope.TASK, {"name": "docs", "changed": "docs/**"})
    repository = definition(Scope.REPOSITORY, {"name": "lint", "run": "make lint"})

    assert in_effect([weaker, own, mission, repository]) == [repository, mission, own]


def test_a_refused_check_does_not_count_and_a_pending_one_does():
    refused = definition(Scope.TASK, "a", approval=Approval.REFUSED)
    pending = definition(Scope.TASK, "b", approval=Approval.PENDING)

    assert in_effect([refused, pending]) == [pending]
    assert pending.defined.waits


def test_an_agent_cannot_replace_a_check_that_is_in_effect():
    existing = [definition(Scope.MISSION, {"name": "tests", "run": "make test"})]

    with pytest.raises(InvalidInput, match="'tests' is already in effect"):
        check_addable([parse_check({"name": "tests", "run": "true"}, field="c")], existing, field="checks")
    check_addable([parse_check({"name": "more", "run": "true"}, field="c")], existing, field="checks")


def test_evidence_is_bound_to_the_path_a_command_runs_with_but_not_for_globs():
    run, globs = parse_check("make", field="c"), parse_check({"changed": "a"}, field="c")

    assert definition_digest(run, "/usr/bin") != definition_digest(run, "/opt/bin")
    assert definition_digest(globs, "/usr/bin") == definition_digest(globs, "/opt/bin")
