"""Checkpoints: numbered without gap, of every dialect, filtered and paged."""

from __future__ import annotations

import asyncio

import pytest

from mission.domain.errors import InvalidInput, NotFound, NotOwner
from tests.tools.conftest import planned


@pytest.fixture
async def task(make_workflow):
    return (await make_workflow(planned("a")))[1]["a"]


async def add(call, task, type, summary, **more):
    return await call("checkpoint_add", {"task_id": task, "type": type, "summary": summary, **more})


async def test_a_checkpoint_is_read_back_as_it_was_written(call, task, make_agent):
    agent = await make_agent()
    await call("task_claim", {"task_id": task, "agent_id": agent})
    added = await add(
        call, task, "progress", "half", detail={"tests": 3}, files_changed=["a.py", "b.py"], agent_id=agent
    )

    (found,) = (await call("checkpoint_list", {"task_id": task}))["checkpoints"]

    assert added == {"id": found["id"], "sequence": 1}
    assert found == {
        "id": added["id"],
        "task_id": task,
        "sequence": 1,
        "type": "progress",
        "summary": "half",
        "detail": {"tests": 3},
        "files_changed": ["a.py", "b.py"],
        "author": agent,
        "created_at": found["created_at"],
    }
    assert added["id"].startswith("cp_")


async def test_decisions_issues_and_milestones_are_checkpoints_too(call, task):
    decision = {"category": "other", "question": "q", "chosen": "c", "reasoning": "r"}
    await call("log_decision", {"task_id": task, **decision})
    await call("log_issue", {"task_id": task, "type": "other", "description": "d", "resolution": "r"})
    await call("log_milestone", {"task_id": task, "message": "m"})
    await add(call, task, "decision", "noted")

    found = (await call("checkpoint_list", {"task_id": task}))["checkpoints"]
    context = await call(
        "get_context", {"mission_id": (await call("task_get", {"id": task}))["workflow_id"], "include": ["decisions"]}
    )

    assert [(each["sequence"], each["type"], each["summary"]) for each in found] == [
        (1, "decision", "q → c"),
        (2, "error", "d"),
        (3, "progress", "m"),
        (4, "decision", "noted"),
    ]
    assert [each["id"].split("_")[0] for each in found] == ["dec", "iss", "mil", "cp"]
    assert found[0]["detail"]["reasoning"] == "r"
    assert [each["question"] for each in context["decisions"]] == ["q"]


async def test_checkpoints_are_narrowed_by_type_number_and_count(call, task):
    for number, type in enumerate(["plan", "progress", "error", "progress", "recovery", "complete"], start=1):
        await add(call, task, type, str(number))

    async def numbers(**narrow):
        found = await call("checkpoint_list", {"task_id": task, **narrow})
        return [each["sequence"] for each in found["checkpoints"]]

    assert await numbers() == [1, 2, 3, 4, 5, 6]
    assert await numbers(type=["progress", "error"]) == [2, 3, 4]
    assert await numbers(since_sequence=2, limit=2) == [3, 4]
    assert await numbers(type=["progress"], since_sequence=2) == [4]


async def test_bad_checkpoints_are_refused(call, task):
    with pytest.raises(InvalidInput, match="plan, replan, progress"):
        await add(call, task, "thought", "x")
    with pytest.raises(InvalidInput, match="summary"):
        await add(call, task, "progress", " ")
    with pytest.raises(NotFound):
        await call("checkpoint_list", {"task_id": "t_0000000000"})


async def test_sixteen_writers_leave_no_gap(call, task):
    added = await asyncio.gather(*(add(call, task, "progress", str(number)) for number in range(16 * 5)))

    assert sorted(each["sequence"] for each in added) == list(range(1, 81))


async def test_a_refused_checkpoint_takes_no_number(call, task, make_agent):
    ada, bob = await make_agent("ada"), await make_agent("bob")
    await call("task_claim", {"task_id": task, "agent_id": ada})

    refused, kept = await asyncio.gather(
        add(call, task, "progress", "not mine", agent_id=bob),
        add(call, task, "progress", "mine", agent_id=ada),
        return_exceptions=True,
    )

    assert isinstance(refused, NotOwner)
    assert kept["sequence"] == 1
