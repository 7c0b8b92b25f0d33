"""A failed attempt: what a person may answer, and what becomes of the task."""

from __future__ import annotations

import pytest

from mission.domain.errors import InvalidInput

RETRY, HINT, GIVE, SKIP = 1, 2, 3, 4


@pytest.fixture
async def failed(fake_executions, call):
    """A task whose agent failed, and the item about it."""
    created = await fake_executions.launch()
    await fake_executions.start(created.execution.id)
    await fake_executions.end(created.execution.id, "failed", exit_code=3)
    [item] = (await call("queue_list"))["items"]
    return created.task.id, item


async def stored(call, task_id):
    return await call.app.database.read(lambda tx: tx.tasks.get(task_id))


async def test_a_failure_can_be_retried_given_away_or_skipped(call, failed):
    task, item = failed

    assert (item["kind"], item["subject"], item["task_id"]) == ("failure", "exit code 3", task)
    assert [choice["label"] for choice in item["choices"]] == ["Retry", "Retry with a hint", "Give to another", "Skip"]
    assert (await stored(call, task)).failed_attempts == 1


async def test_a_skipped_task_ends_and_its_journal_says_who_decided(call, failed):
    task, item = failed

    await call("queue_answer", {"id": item["id"], "choice": SKIP})

    assert str((await stored(call, task)).status) == "skipped"
    found = await call("task_get", {"id": task, "include_checkpoints": True})
    assert found["checkpoints"][-1]["summary"] == "operator answered the failure: Skip"


async def test_another_agent_gets_the_task_with_a_message(call, failed, make_agent):
    task, item = failed
    bob = await make_agent("bob")

    await call("queue_answer", {"id": item["id"], "choice": GIVE, "text": "bob"})

    assert (await stored(call, task)).owner_id == bob
    [message] = (await call("message_list", {"agent_id": bob}))["messages"]
    assert (message["message_type"], message["task_id"]) == ("task_assignment", task)
    assert "exit code 3" in message["body"]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"choice": GIVE, "text": "nobody"}, "neither an agent nor a client"),
        ({"choice": GIVE}, "must not be empty"),
        ({"choice": HINT}, "must not be empty"),
        ({"choice": 9}, "no choice 9"),
    ],
)
async def test_an_answer_that_means_nothing_leaves_the_item_open(call, failed, answer, words):
    task, item = failed

    with pytest.raises(InvalidInput, match=words):
        await call("queue_answer", {"id": item["id"], **answer})

    assert (await call("queue_get", {"id": item["id"]}))["state"] == "open"
    assert (await stored(call, task)).owner_id is None


async def test_whoever_claims_the_task_has_answered(call, failed, make_agent):
    task, item = failed
    bob = await make_agent("bob")

    await call("task_claim", {"task_id": task, "agent_id": bob})

    closed = await call("queue_get", {"id": item["id"]})
    assert (closed["state"], closed["answer"]) == ("dismissed", f"{bob} took the task")
