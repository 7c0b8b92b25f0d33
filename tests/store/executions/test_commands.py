"""Commands of executions: what operators told them, and what has still to be done."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mission.domain.errors import NotFound
from mission.domain.executions.command import CommandKind, ExecutionCommand
from mission.domain.executions.execution import OperatorMessageState
from tests.store.rows import at


@pytest.fixture
def execution(rows):
    return rows.execution(rows.task(rows.mission()))


@pytest.fixture
def add(tx, execution):
    def added(n, kind=CommandKind.TEXT, **fields):
        command = ExecutionCommand(
            **{"id": f"msg_{n}", "execution_id": execution.id, "kind": kind, "created_at": at(n), **fields}
        )
        tx.commands.add(command)
        return command

    return added


def test_what_operators_told_an_execution_is_listed_newest_first(tx, execution, add):
    told = [add(n, text="hi") for n in range(3)]
    add(3, CommandKind.STOP)
    delivered = replace(told[1], state=OperatorMessageState.DELIVERED, delivered_at=at(9))
    tx.commands.save(delivered)

    assert tx.commands.messages(execution.id, limit=2) == [told[2], delivered]
    assert tx.commands.get("msg_1") == delivered
    with pytest.raises(NotFound):
        tx.commands.get("msg_9")


def test_what_is_pending_is_due_on_its_host_from_its_moment_on(tx, rows, execution, add):
    late, early = add(2, not_before=at(5)), add(1, CommandKind.STOP)
    add(0, state=OperatorMessageState.FAILED)
    far = add(3, execution_id=rows.execution(rows.task(rows.mission()), host_id="there").id)

    assert tx.commands.due(host_id="here", now=at(4)) == [early]
    assert tx.commands.due(host_id="here", now=at(5)) == [early, late]
    assert tx.commands.due(host_id="there", now=at(0)) == [far]
    assert tx.commands.pending_of(execution.id) == [early, late]


def test_a_command_is_found_by_the_execution_it_made_and_by_its_kind(tx, execution, add):
    again = {"kind": CommandKind.START_AGAIN, "launch": {"answer": "red"}, "fence": 2}
    old, new = add(1, **again, state=OperatorMessageState.FAILED, launched="x_1"), add(2, **again, launched="x_2")

    assert tx.commands.launching("x_1") is None
    assert tx.commands.launching("x_2") == new
    assert tx.commands.newest(execution.id, CommandKind.START_AGAIN) == new
    assert tx.commands.newest(execution.id, CommandKind.STOP) is None
    assert old.next_launch.answer == "red"
