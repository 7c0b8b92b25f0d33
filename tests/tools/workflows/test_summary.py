"""A workflow in short."""

from __future__ import annotations

import pytest

from mission.domain.errors import NotFound
from tests.tools.conftest import planned


@pytest.fixture
async def scene(call, make_workflow, make_agent, clock):
    """One task done, one failed, one in hand, one that waits for it, one free."""
    ada = await make_agent("ada")
    id, tasks = await make_workflow(
        planned("a"),
        planned("b"),
        planned("c"),
        planned("d", after=["c"]),
        planned("e"),
        source_content="Build\n\n# it",
    )
    for name in "abc":
        await call("task_update_status", {"id": tasks[name], "status": "in_progress", "agent_id": ada})
    clock.advance(minutes=10)
    await call("task_update_status", {"id": tasks["a"], "status": "completed", "outcome": "works", "agent_id": ada})
    await call("task_update_status", {"id": tasks["b"], "status": "failed", "error": "x" * 300, "agent_id": ada})
    chosen = {"category": "other", "question": "Which?", "chosen": "this", "reasoning": "r"}
    await call("log_decision", {"task_id": tasks["c"], "agent_id": ada, **chosen})
    return id, tasks, ada


async def test_as_json(call, scene):
    id, tasks, ada = scene

    found = await call("workflow_get_summary", {"id": id})

    assert found["tokenizer"] == "o200k_base"
    assert 200 < found["token_estimate"] < 500
    assert found["summary"] == {
        "id": id,
        "name": "W",
        "status": "in_progress",
        "source_type": "prompt",
        "source_summary": "Build # it",
        "plan_summary": "s",
        "total_tasks": 5,
        "by_status": {"pending": 1, "blocked": 1, "in_progress": 1, "completed": 1, "failed": 1},
        "evidence": {"proved": 0, "unproved": 1, "accepted": 0, "failing": 0},
        "remaining_tasks": 4,
        "estimated_remaining": pytest.approx(600, abs=1),
        "estimated_range": [pytest.approx(600, abs=1), pytest.approx(1200, abs=1)],
        "in_hand": [{"id": tasks["c"], "name": "c", "status": "in_progress", "assigned_agent_id": ada}],
        "next": [{"id": tasks["e"], "name": "e", "status": "pending"}],
        "blocked": [{"id": tasks["d"], "name": "d", "status": "blocked", "blocked_by": ["c"]}],
        "failed": [{"id": tasks["b"], "name": "b", "status": "failed", "error": "x" * 200 + "…"}],
        "completed_last": [
            {"id": tasks["a"], "name": "a", "status": "completed", "outcome": "works", "proof": "unproved"}
        ],
        "decisions_last": [{"text": "Which? → this", "author": ada, "task_id": tasks["c"]}],
        "open_blockers": [],
    }


async def test_as_markdown(call, scene):
    id, tasks, ada = scene

    found = await call("workflow_get_summary", {"id": id, "format": "markdown"})

    assert found["summary"] == "\n".join(
        [
            "# W",
            "",
            f"Workflow `{id}`, in_progress. Tasks: 1 pending, 1 blocked, 1 in_progress, 1 completed, 1 failed.",
            "Evidence: 1 unproved.",
            "About 10 to 20 min remain.",
            "Source: Build # it",
            "Plan: s",
            *("", "## In progress", "", f"- `{tasks['c']}` c (in_progress): {ada}"),
            *("", "## Next", "", f"- `{tasks['e']}` e"),
            *("", "## Blocked", "", f"- `{tasks['d']}` d (blocked): c"),
            *("", "## Failed", "", f"- `{tasks['b']}` b (failed): {'x' * 200}…"),
            *("", "## Recently completed", "", f"- `{tasks['a']}` a (unproved): works"),
            *("", "## Recent decisions", "", f"- Which? → this (`{tasks['c']}`, {ada})"),
            "",
        ]
    )


async def test_of_a_mission_without_tasks_and_of_none(call):
    mission = await call("start_mission", {"name": "x", "objective": "y"})

    found = await call("workflow_get_summary", {"id": mission["mission_id"], "format": "markdown"})

    assert found["summary"].startswith("# x\n\nWorkflow `m_")
    with pytest.raises(NotFound):
        await call("workflow_get_summary", {"id": "m_0000000000"})
