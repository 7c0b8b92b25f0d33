"""The transaction of a person's answer decides whether, and with what, the agent that asked is started again."""

from __future__ import annotations

from typing import Any

import pytest

from mission.domain.errors import InvalidState
from mission.domain.executions.command import CommandKind, ExecutionCommand
from mission.domain.executions.execution import Mode
from mission.domain.executions.signals import Delivery
from mission.services.answers import failed_attempts
from mission.services.executions import commands as service
from tests.fake_executions import FakeExecutions

RETRY, WITH_HINT, TO_ANOTHER, SKIP = 1, 2, 3, 4


async def commands(fake_executions: FakeExecutions, execution_id: str) -> list[ExecutionCommand]:
    return await fake_executions.app.database.read(lambda tx: tx.commands.pending_of(execution_id))


async def waiting(fake_executions: FakeExecutions) -> dict[str, str]:
    """What waits for a person: ids by kind."""
    return {each["kind"]: each["id"] for each in (await fake_executions.call("queue_list"))["items"]}


async def failed(fake_executions: FakeExecutions) -> tuple[Any, str]:
    """An execution that failed, and the item about it."""
    created = await fake_executions.launch()
    await fake_executions.start(created.execution.id)
    await fake_executions.end(created.execution.id, "failed", exit_code=1)
    return created, (await waiting(fake_executions))["failure"]


@pytest.mark.parametrize("order", [("question", "blocker"), ("blocker", "question")])
async def test_a_dead_agents_task_is_free_once_its_question_and_its_block_are_dismissed(fake_executions, order):
    created = await fake_executions.launch()
    await fake_executions.signal(created.execution.id, "b1", "blocked", reason="No network")
    await fake_executions.signal(created.execution.id, "q1", "needs_input", question="Which port?")
    await fake_executions.end(created.execution.id)

    items = await waiting(fake_executions)
    for kind in order:
        await fake_executions.call("queue_dismiss", {"id": items[kind]})

    task = await fake_executions.task_now(created.task.id)
    assert (task["status"], task["assigned_agent_id"], task["hold"]) == ("pending", None, None)
    assert await commands(fake_executions, created.execution.id) == []


async def test_a_crash_whose_question_is_dismissed_is_put_before_a_person(fake_executions):
    created = await fake_executions.launch()
    await fake_executions.signal(created.execution.id, "q1", "needs_input", question="Which port?")
    await fake_executions.end(created.execution.id, "failed", exit_code=1)

    await fake_executions.call("queue_dismiss", {"id": (await waiting(fake_executions))["question"]})

    task = await fake_executions.task_now(created.task.id)
    assert (task["status"], task["assigned_agent_id"], task["failed_attempts"]) == ("pending", None, 1)
    assert list(await waiting(fake_executions)) == ["failure"]
    checkpoints = (await fake_executions.call("checkpoint_list", {"task_id": created.task.id}))["checkpoints"]
    assert "failed: " in checkpoints[-1]["summary"]


@pytest.mark.parametrize("order", [("question", "blocker"), ("blocker", "question")])
async def test_an_answer_and_a_dismissal_start_a_dead_agent_again_in_either_order(fake_executions, order):
    created = await fake_executions.launch()
    await fake_executions.signal(created.execution.id, "b1", "blocked", reason="No network")
    await fake_executions.signal(created.execution.id, "q1", "needs_input", question="Which port?")
    await fake_executions.end(created.execution.id)

    items = await waiting(fake_executions)
    for kind in order:
        if kind == "question":
            await fake_executions.call("queue_answer", {"id": items[kind], "text": "8080"})
        else:
            await fake_executions.call("queue_dismiss", {"id": items[kind]})

    task = await fake_executions.task_now(created.task.id)
    assert (task["status"], task["assigned_agent_id"]) == ("in_progress", created.agent.id)
    assert task["lease_until"] is not None
    [command] = await commands(fake_executions, created.execution.id)
    assert command.kind is CommandKind.START_AGAIN
    assert "Which port? → 8080" in (command.next_launch.answer or "")


async def test_an_answer_that_was_used_does_not_hide_a_later_failure(fake_executions):
    created = await fake_executions.launch()
    await fake_executions.signal(created.execution.id, "q1", "needs_input", question="Which port?")
    await fake_executions.call("queue_answer", {"id": (await waiting(fake_executions))["question"], "text": "8080"})
    await fake_executions.signal(created.execution.id, "p1", "progress", summary="Uses 8080")
    for number in range(51):
        await fake_executions.signal(created.execution.id, f"m{number}", "message", channel="agent", text="…")

    await fake_executions.end(created.execution.id, "failed", exit_code=1)

    assert list(await waiting(fake_executions)) == ["failure"]
    assert await commands(fake_executions, created.execution.id) == []


async def test_an_answer_that_was_typed_does_not_hide_a_later_failure(fake_executions):
    created = await fake_executions.launch(mode=Mode.INTERACTIVE, delivery=Delivery.STDOUT_MARKER)
    await fake_executions.signal(created.execution.id, "q1", "needs_input", question="Which port?")
    await fake_executions.call("queue_answer", {"id": (await waiting(fake_executions))["question"], "text": "8080"})
    [command] = await commands(fake_executions, created.execution.id)
    assert (command.kind, command.text) == (CommandKind.ANSWER, "8080")
    await fake_executions.app.database.write(service.typed, command_id=command.id)
    await fake_executions.end(created.execution.id, "failed", exit_code=1)

    assert list(await waiting(fake_executions)) == ["failure"]


async def test_an_answer_that_found_the_terminal_gone_starts_the_agent_again(fake_executions):
    created = await fake_executions.launch(mode=Mode.INTERACTIVE, delivery=Delivery.STDOUT_MARKER)
    await fake_executions.signal(created.execution.id, "q1", "needs_input", question="Which port?")
    await fake_executions.call("queue_answer", {"id": (await waiting(fake_executions))["question"], "text": "8080"})

    await fake_executions.end(created.execution.id, "failed", exit_code=1)

    [command] = await commands(fake_executions, created.execution.id)
    assert (command.kind, command.next_launch.answer) == (CommandKind.START_AGAIN, "8080")
    assert await waiting(fake_executions) == {}


async def test_a_crash_while_blocked_is_said_in_the_blocker(fake_executions):
    created = await fake_executions.launch()
    await fake_executions.signal(created.execution.id, "b1", "blocked", reason="No network")

    await fake_executions.end(created.execution.id, "failed", exit_code=1, reason="exit code 1: out of memory")

    [item] = (await fake_executions.call("queue_list"))["items"]
    assert item["kind"] == "blocker"
    assert item["body"].startswith("No network")
    assert "exit code 1: out of memory" in item["body"]


async def test_a_retry_is_one_pending_command_that_shows_nowhere_among_the_messages(fake_executions):
    created, item = await failed(fake_executions)

    await fake_executions.call("queue_answer", {"id": item, "choice": WITH_HINT, "text": "Look in the vault"})

    [command] = await commands(fake_executions, created.execution.id)
    assert (command.kind, command.next_launch.hint) == (CommandKind.START_AGAIN, "Look in the vault")
    assert (await fake_executions.call("execution_get", {"id": created.execution.id}))["messages"] == []


async def test_a_task_that_was_given_to_another_agent_asks_for_no_launch(fake_executions):
    created, item = await failed(fake_executions)
    bob = (await fake_executions.call("agent_register", {"name": "bob", "runtime": "custom"}))["id"]

    await fake_executions.call("queue_answer", {"id": item, "choice": TO_ANOTHER, "text": "bob"})
    await fake_executions.call("task_release", {"task_id": created.task.id, "agent_id": bob})

    assert await commands(fake_executions, created.execution.id) == []


async def test_a_retry_does_not_count_any_more_once_somebody_took_the_task(fake_executions):
    created, item = await failed(fake_executions)
    await fake_executions.call("queue_answer", {"id": item, "choice": RETRY})
    bob = (await fake_executions.call("agent_register", {"name": "bob", "runtime": "custom"}))["id"]
    await fake_executions.call("task_claim", {"task_id": created.task.id, "agent_id": bob})
    await fake_executions.call("task_release", {"task_id": created.task.id, "agent_id": bob})

    [command] = await commands(fake_executions, created.execution.id)
    assert "another agent has taken" in await fake_executions.app.database.read(service.obstacle, command_id=command.id)
    with pytest.raises(InvalidState, match="another agent has taken"):
        await fake_executions.launch(created.task.id, resumes=created.execution.id, command_id=command.id)


async def test_a_command_launches_once(fake_executions):
    created, item = await failed(fake_executions)
    await fake_executions.call("queue_answer", {"id": item, "choice": RETRY})
    [command] = await commands(fake_executions, created.execution.id)
    second = await fake_executions.launch(created.task.id, resumes=created.execution.id, command_id=command.id)
    await fake_executions.start(second.execution.id)

    assert await commands(fake_executions, created.execution.id) == []
    await fake_executions.end(second.execution.id, "failed", exit_code=1)
    with pytest.raises(InvalidState, match="delivered"):
        await fake_executions.launch(created.task.id, resumes=created.execution.id, command_id=command.id)


async def test_a_launch_that_died_before_its_program_ran_is_done_again(fake_executions):
    created, item = await failed(fake_executions)
    await fake_executions.call("queue_answer", {"id": item, "choice": RETRY})
    [command] = await commands(fake_executions, created.execution.id)
    lost = await fake_executions.launch(created.task.id, resumes=created.execution.id, command_id=command.id)

    await fake_executions.end(lost.execution.id, "lost", reason="the daemon died", never_ran=True)

    assert await waiting(fake_executions) == {}
    assert (await fake_executions.task_now(created.task.id))["failed_attempts"] == 1
    assert await fake_executions.app.database.read(service.obstacle, command_id=command.id) is None
    again = await fake_executions.launch(created.task.id, resumes=created.execution.id, command_id=command.id)
    assert again.execution.id != lost.execution.id


async def test_a_program_that_fails_before_its_start_is_recorded_is_a_failure_and_not_launched_again(fake_executions):
    created, item = await failed(fake_executions)
    await fake_executions.call("queue_answer", {"id": item, "choice": RETRY})
    [command] = await commands(fake_executions, created.execution.id)
    second = await fake_executions.launch(created.task.id, resumes=created.execution.id, command_id=command.id)

    await fake_executions.end(second.execution.id, "failed", exit_code=1)

    assert list(await waiting(fake_executions)) == ["failure"]
    assert await commands(fake_executions, created.execution.id) == []


async def test_a_failure_item_does_not_outlive_its_task(fake_executions):
    created, item = await failed(fake_executions)
    bob = (await fake_executions.call("agent_register", {"name": "bob", "runtime": "custom"}))["id"]
    await fake_executions.call("queue_answer", {"id": item, "choice": RETRY})
    [command] = await commands(fake_executions, created.execution.id)
    await fake_executions.app.database.write(
        failed_attempts.not_launched, command_id=command.id, error=InvalidState("no program")
    )
    [again] = (await fake_executions.call("queue_list"))["items"]
    assert again["subject"] == "It could not be launched again: no program"
    await fake_executions.call("task_claim", {"task_id": created.task.id, "agent_id": bob})
    await fake_executions.call("start_task", {"task_id": created.task.id}, agent=bob)
    done = {"task_id": created.task.id, "status": "success", "outcome": {"summary": "done"}}
    await fake_executions.call("complete_task", done, agent=bob)

    assert await waiting(fake_executions) == {}
    await fake_executions.app.database.write(
        failed_attempts.not_launched, command_id=command.id, error=InvalidState("no program")
    )
    assert await waiting(fake_executions) == {}


async def test_the_end_of_a_mission_withdraws_every_failure_of_it(fake_executions):
    created, _item = await failed(fake_executions)

    over = {"mission_id": created.task.mission_id, "status": "failed", "summary": "no more"}
    await fake_executions.call("complete_mission", over)

    assert await waiting(fake_executions) == {}


async def test_the_end_of_a_mission_asks_its_running_agents_to_stop(fake_executions):
    created = await fake_executions.launch()
    await fake_executions.start(created.execution.id)

    over = {"mission_id": created.task.mission_id, "status": "failed", "summary": "no more"}
    await fake_executions.call("complete_mission", over)

    [command] = await commands(fake_executions, created.execution.id)
    assert command.kind is CommandKind.STOP
    await fake_executions.end(created.execution.id, "stopped")
    assert await commands(fake_executions, created.execution.id) == []


async def test_messages_that_never_arrived_fail_when_the_execution_ends(fake_executions):
    created = await fake_executions.launch()
    await fake_executions.start(created.execution.id)
    await fake_executions.call("execution_message", {"execution_id": created.execution.id, "text": "Hello"})

    await fake_executions.end(created.execution.id)

    [message] = (await fake_executions.call("execution_get", {"id": created.execution.id}))["messages"]
    assert (message["kind"], message["state"]) == ("text", "failed")
    assert "ended" in message["reason"]
