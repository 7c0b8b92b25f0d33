"""Commands that agents propose as checks run as the operator would run them."""

from __future__ import annotations

from mission.domain.checks.check import Approval, Scope, parse_checks
from mission.services.evidence import definitions


def set_checks(tx, task, *commands, agent_id=None, path=None):
    return definitions.set_for(
        tx, scope=Scope.TASK, scope_id=task.id, checks=parse_checks(commands), agent_id=agent_id, path=path
    )


def test_the_operators_commands_run_with_the_path_of_the_shell_that_set_them(tx, rows):
    task = rows.task(rows.mission("m"), "a")

    [check] = set_checks(tx, task, "make test", path="/here/bin").checks

    assert (check.path, check.approval) == ("/here/bin", Approval.APPROVED)


def test_an_agent_cannot_choose_the_path_of_a_command_that_a_person_approves(tx, rows):
    task = rows.task(rows.mission("m"), "a")

    [check] = set_checks(tx, task, "make test", agent_id=rows.agent("ada").id, path="/evil/bin").checks

    assert (check.path, check.approval) == (None, Approval.PENDING)
