"""What the end of an execution means for its task and its agent."""

from __future__ import annotations

from datetime import timedelta

import pytest

from mission.domain.agents.agent import Presence
from mission.domain.executions.command import CommandKind
from mission.domain.executions.execution import FINAL, ExecutionStatus
from mission.domain.inbox.item import ItemKind
from mission.domain.tasks.hold import Hold, HoldKind
from mission.domain.tasks.journal import EntryKind
from mission.domain.tasks.states import OPEN, TaskStatus
from mission.services.agents import access_tokens as identity
from mission.services.agents.registration import LivenessSettings
from mission.services.executions import commands
from mission.services.executions import ending as endings
from mission.services.executions.ending import ExecutionEnd
from tests.store.rows import NOW, at

LIVENESS = LivenessSettings(heartbeat=timedelta(minutes=1), lease=timedelta(minutes=10))
DONE = {"type": "completed_claim", "summary": "all done"}


@pytest.fixture
def run(tx, rows):
    """An agent's execution on a task, in whatever state it is to end."""

    def make(status=TaskStatus.IN_PROGRESS, *, hold=None, **execution):
        agent = rows.agent(current_task_id=None)
        task = rows.task(rows.mission(), status=status, owner_id=agent.id, lease_until=at(9), hold=hold)
        return agent, task, rows.execution(task, agent_id=agent.id, status=ExecutionStatus.RUNNING, **execution)

    return make


def end(tx, execution, status=ExecutionStatus.FAILED, **how):
    return endings.ended(tx, execution_id=execution.id, end=ExecutionEnd(status=status, **how), liveness=LIVENESS)


@pytest.mark.parametrize("status", sorted(FINAL))
def test_whatever_the_end_the_agent_is_gone_and_its_tokens_are_worthless(tx, run, status):
    agent, _, execution = run(process={"pid": 1})
    token = identity.issue(tx, agent_id=agent.id)

    ended = end(tx, execution, status, exit_code=3)

    assert (ended.status, ended.exit_code, ended.process, ended.ended_at) == (status, 3, None, NOW)
    assert tx.agents.get(agent.id).declared is Presence.OFFLINE
    with pytest.raises(identity.Unauthenticated, match="revoked"):
        identity.bearer_of(tx, token=token)


def test_an_end_said_twice_is_the_first_one(tx, run):
    _, _, execution = run()
    first = end(tx, execution, ExecutionStatus.LOST, reason="gone")
    told = len(tx.emitted)

    assert end(tx, execution, ExecutionStatus.COMPLETED) == first
    assert len(tx.emitted) == told


@pytest.mark.parametrize("status", list(TaskStatus))
def test_a_task_that_was_not_ended_is_free_with_a_note_of_why_it_was_left(tx, run, status):
    agent, task, execution = run(status, progress={"summary": "half"})

    end(tx, execution, exit_code=7)

    after = tx.tasks.get(task.id)
    notes = tx.journal.of_task(task.id, kinds=[EntryKind.RECOVERY], since=0, limit=9)
    if status in OPEN:
        assert (after.owner_id, after.lease_until) == (None, None)
        assert notes[0].summary == "ada failed: exit code 7"
        assert (notes[0].content["execution_id"], notes[0].content["progress"]) == (execution.id, {"summary": "half"})
    else:
        assert (after.owner_id, notes) == (agent.id, [])


def test_nobody_is_asked_about_an_agent_that_ends_otherwise_than_it_was_to_be_stopped(tx, run):
    _, task, execution = run()
    commands.add(tx, execution, CommandKind.STOP)

    end(tx, execution, ExecutionStatus.LOST, reason="the daemon died before its program was started")

    assert tx.inbox.open_where(task_id=task.id) == []
    assert tx.tasks.get(task.id).status is TaskStatus.PENDING


def test_an_open_question_keeps_the_task_for_its_agent_without_a_lease(tx, rows, run):
    agent, task, execution = run()
    rows.item(ItemKind.QUESTION, subject="Which one?", task_id=task.id, execution_id=execution.id)

    end(tx, execution)

    after = tx.tasks.get(task.id)
    assert (after.status, after.owner_id, after.lease_until) == (TaskStatus.PAUSED, agent.id, None)
    assert after.hold == Hold(HoldKind.INPUT, "Which one?", agent.id)
    assert not after.claimable(now=at(9_999))


def test_work_that_is_said_to_be_done_is_put_before_a_person(tx, run):
    agent, task, execution = run(claim=DONE)
    assert execution.claims_done

    end(tx, execution, ExecutionStatus.COMPLETED, exit_code=0)

    after = tx.tasks.get(task.id)
    assert (after.status, after.owner_id) == (TaskStatus.REVIEW, agent.id)
    [item] = tx.inbox.open_where(task_id=task.id)
    assert (item.kind, item.body, item.execution_id) == (ItemKind.REVIEW, "all done", execution.id)


def test_a_reported_block_outlives_the_one_who_reported_it(tx, run):
    hold = Hold(HoldKind.BLOCKED, "no key", "a_1")
    _, task, execution = run(TaskStatus.PAUSED, hold=hold)

    end(tx, execution)

    after = tx.tasks.get(task.id)
    assert (after.status, after.hold, after.owner_id) == (TaskStatus.PAUSED, hold, None)


def test_a_task_that_went_to_another_agent_is_left_alone(tx, rows, run):
    _, task, execution = run()
    tx.tasks.renew(task.owner_id, until=at(9))
    other = rows.agent("bob")
    taken = tx.tasks.get(task.id).handed_to(other.id, at=NOW, until=at(9))
    tx.tasks.save(taken)

    end(tx, execution)

    assert tx.tasks.get(task.id) == taken
