"""The human's queue: what waits for a person, in the order of what it holds up, and what an answer does."""

from __future__ import annotations

import pytest

from mission.domain.errors import InvalidInput, InvalidState, NotFound


@pytest.fixture
async def task(call):
    mission = (await call("start_mission", {"name": "m", "objective": "o"}))["mission_id"]
    return await call("start_task", {"mission_id": mission, "name": "t", "goal": "g"})


async def queue(call, **arguments):
    return (await call("queue_list", arguments))["items"]


async def blockers(call, task):
    found = await call("get_context", {"mission_id": task["mission_id"], "include": ["blockers"]})
    return found["blockers_count"], len(found["blockers"])


async def test_a_blocker_waits_for_a_person_whose_answer_resolves_it(call, task):
    issue = {"task_id": task["task_id"], "type": "other", "description": "Which region?", "resolution": "guessed eu"}
    logged = await call("log_issue", issue | {"requires_human_review": True})
    await call("log_issue", issue)

    (item,) = await queue(call)

    assert (item["kind"], item["subject"], item["body"], item["state"]) == (
        "blocker",
        "Which region?",
        "guessed eu",
        "open",
    )
    assert (item["entry_id"], item["task_name"], item["mission_name"]) == (logged["issue_id"], "t", "m")
    assert await blockers(call, task) == (1, 1)
    answered = await call("queue_answer", {"id": item["id"], "text": "us-east"})
    assert (answered["state"], answered["answer"]) == ("answered", "us-east")
    assert await blockers(call, task) == (0, 0)
    assert await queue(call) == []
    (closed,) = await queue(call, state=["answered", "dismissed"])
    assert (closed["answer"], closed["closed_by"]) == ("us-east", "operator")
    told = await call.app.database.read(lambda tx: tx.events.since(0, limit=100))
    assert [event.data["state"] for event in told if event.type.startswith("queue:")] == ["open", "answered"]


async def test_bad_answers_are_refused_and_change_nothing(call, task):
    issue = {"task_id": task["task_id"], "type": "other", "description": "d", "resolution": "r"}
    await call("log_issue", issue | {"requires_human_review": True})
    (item,) = await queue(call)

    for arguments, error, words in (
        ({"text": "  "}, InvalidInput, "needs words"),
        ({"choice": 1}, InvalidInput, "no choice 1"),
        ({"id": "q_0000000000", "text": "x"}, NotFound, "no queue item"),
        ({"id": task["task_id"], "text": "x"}, InvalidInput, "the id of a task"),
    ):
        with pytest.raises(error, match=words):
            await call("queue_answer", {"id": item["id"]} | arguments)
    assert (await call("queue_get", {"id": item["id"]}))["state"] == "open"
    await call("queue_dismiss", {"id": item["id"]})
    with pytest.raises(InvalidState, match="cannot become answered"):
        await call("queue_answer", {"id": item["id"], "text": "too late"})
    assert await blockers(call, task) == (0, 0)
