"""Commands of executions: due when their time has come, closed once, and a launch only while it is wanted."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from mission.domain.errors import InvalidInput, InvalidState
from mission.domain.executions.command import CommandKind, NextLaunch
from mission.domain.executions.execution import ExecutionStatus, Mode, OperatorMessageKind, OperatorMessageState
from mission.domain.inbox.item import ItemKind
from mission.domain.missions.mission import MissionStatus
from mission.domain.tasks.states import TaskStatus
from mission.services.executions import commands
from tests.store.rows import NOW, at

DELIVERED, FAILED = OperatorMessageState.DELIVERED, OperatorMessageState.FAILED


@pytest.fixture
def execution(rows):
    agent = rows.agent()
    task = rows.task(rows.mission(), status=TaskStatus.IN_PROGRESS, owner_id=agent.id)
    return rows.execution(task, agent_id=agent.id, status=ExecutionStatus.RUNNING)


def close(tx, command, state=DELIVERED, reason=None):
    return commands.mark_delivered(tx, message_id=command.id, state=state, reason=reason)


def test_a_message_needs_words_and_an_agent_that_lives(tx, rows, execution):
    over = rows.execution(tx.tasks.get(execution.task_id), status=ExecutionStatus.LOST)

    def send(to, text):
        return commands.send_message(
            tx, execution_id=to.id, kind=OperatorMessageKind.TEXT, text=text, author="operator"
        )

    with pytest.raises(InvalidState, match="is lost and cannot receive messages"):
        send(over, "hello")
    with pytest.raises(InvalidInput, match="must not be empty"):
        send(execution, "")
    sent = send(execution, "hello")
    assert tx.commands.pending_of(execution.id) == [sent]


def test_a_host_finds_its_commands_oldest_first_once_their_time_has_come(tx, rows, execution):
    elsewhere = rows.execution(tx.tasks.get(execution.task_id), host_id="there")
    now = commands.add(tx, execution, CommandKind.NUDGE)
    late = commands.add(tx, execution, CommandKind.STOP, wait=timedelta(minutes=1))
    far = commands.add(tx, elsewhere, CommandKind.NUDGE)

    def due(host_id):
        return [(command.id, found.id) for command, found in commands.due(tx, host_id=host_id)]

    assert due("here") == [(now.id, execution.id)]
    assert due("there") == [(far.id, elsewhere.id)]
    assert late.not_before == at(1)
    assert {each.id for each in tx.commands.due(host_id="here", now=at(1))} == {now.id, late.id}


def test_the_first_word_of_what_became_of_a_command_counts(tx, execution):
    command = commands.add(tx, execution, CommandKind.TEXT, text="hello")

    first = close(tx, command, FAILED, "gone")
    told = len(tx.emitted)

    assert (first.state, first.reason, first.delivered_at) == (FAILED, "gone", None)
    assert close(tx, command) == first
    assert len(tx.emitted) == told


def test_only_what_an_operator_sent_is_told_in_events(tx, execution):
    told = len(tx.emitted)

    close(tx, commands.add(tx, execution, CommandKind.STOP))
    assert len(tx.emitted) == told
    close(tx, commands.add(tx, execution, CommandKind.NUDGE))
    assert [event.type for event in tx.emitted[told:]] == ["execution:updated"]


def test_words_are_put_into_a_mailbox_once(tx, execution):
    command = commands.add(tx, execution, CommandKind.TEXT, text="hello")

    for _ in range(2):
        commands.put_in_mailbox(tx, command_id=command.id, words="hello")

    assert [each.type for each in tx.emitted].count("message:created") == 1
    assert tx.commands.get(command.id).reason == "put into its mailbox"


def test_an_agent_has_what_it_asked_for_when_the_last_answer_was_typed(tx, rows, execution):
    first, second = rows.item(), rows.item(ItemKind.BLOCKER)
    tx.executions.save(replace(execution, asked_last=(first.id, second.id)))

    def type_answer(item):
        tx.inbox.save(item.answered(text="yes", choice=None, by="human", at=NOW))
        command = commands.add(tx, execution, CommandKind.ANSWER, text="yes")
        commands.typed(tx, command_id=command.id)
        return tuple(tx.executions.get(execution.id).asked_last)

    assert type_answer(first) == (first.id, second.id)
    assert type_answer(second) == ()


def test_a_later_launch_replaces_an_earlier_one(tx, execution):
    first = commands.start_again(tx, execution, NextLaunch(answer="red"))
    second = commands.start_again(tx, execution, NextLaunch(answer="blue", arguments=("-x",)))

    assert tx.commands.pending_of(execution.id) == [second]
    assert second.next_launch == NextLaunch(answer="blue", arguments=["-x"])
    assert commands.obstacle(tx, command_id=first.id) == "it is already failed"
    assert commands.obstacle(tx, command_id=second.id) is None


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"fence": 1}, "another agent has taken"),
        ({"owner_id": "a_other"}, "another agent has taken"),
        ({"status": TaskStatus.COMPLETED}, "is completed"),
    ],
)
def test_a_launch_is_no_longer_wanted_when_its_task_is_taken_or_done(tx, execution, change, reason):
    command = commands.start_again(tx, execution, NextLaunch())
    commands.check_wanted(tx, command_id=command.id)

    tx.tasks.save(replace(tx.tasks.get(execution.task_id), **change))

    with pytest.raises(InvalidState, match=reason):
        commands.check_wanted(tx, command_id=command.id)


def test_a_launch_is_no_longer_wanted_when_its_mission_has_ended(tx, execution):
    command = commands.start_again(tx, execution, NextLaunch())

    tx.missions.save(replace(tx.missions.get(execution.mission_id), status=MissionStatus.ABANDONED))

    assert commands.obstacle(tx, command_id=command.id) == f"mission {execution.mission_id} is abandoned"


def test_a_launch_is_done_when_the_program_it_made_runs(tx, rows, execution):
    command = commands.start_again(tx, execution, NextLaunch())
    made = rows.execution(tx.tasks.get(execution.task_id), status=ExecutionStatus.STARTING)
    assert not commands.is_being_launched(tx, command)

    commands.launching(tx, command_id=command.id, execution=made)
    assert tx.commands.get(command.id).is_pending
    assert commands.is_being_launched(tx, tx.commands.get(command.id))
    commands.launched(tx, made)

    assert tx.commands.get(command.id).state is DELIVERED


def test_agents_of_an_ended_mission_are_stopped_and_one_that_ended_its_task_may_finish(tx, rows, execution):
    other = rows.execution(tx.tasks.get(execution.task_id), agent_id="a_other", status=ExecutionStatus.RUNNING)
    watched = rows.execution(
        tx.tasks.get(execution.task_id),
        agent_id=execution.agent_id,
        mode=Mode.INTERACTIVE,
        status=ExecutionStatus.RUNNING,
    )
    rows.execution(tx.tasks.get(execution.task_id), status=ExecutionStatus.COMPLETED)

    stopped = commands.stop_all(tx, mission_id=execution.mission_id)

    waits = {id: tx.commands.pending_of(id)[0].not_before for id in stopped}
    assert waits == {execution.id: NOW + commands.LAST_WORDS, other.id: None, watched.id: None}


def test_the_end_of_an_execution_closes_everything_but_a_launch(tx, execution):
    stop = commands.add(tx, execution, CommandKind.STOP)
    text = commands.add(tx, execution, CommandKind.TEXT, text="hello")
    again = commands.start_again(tx, execution, NextLaunch())

    commands.end(tx, execution)

    assert tx.commands.get(stop.id).state is DELIVERED
    assert tx.commands.get(text.id).reason == f"execution {execution.id} has already ended"
    assert tx.commands.pending_of(execution.id) == [again]
