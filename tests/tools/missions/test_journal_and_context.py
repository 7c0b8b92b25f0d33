"""Journal entries, and reading a mission back, through the gateway."""

from __future__ import annotations

import base64

import pytest

from mission.domain.errors import InvalidInput, NotFound


@pytest.fixture
async def task(call):
    mission = (await call("start_mission", {"name": "Auth", "objective": "JWT"}))["mission_id"]
    return await call(
        "start_task",
        {
            "mission_id": mission,
            "name": "t",
            "goal": "g" * 600,
            "caller_type": "subagent",
            "agent_name": "ada",
            "areas": ["src"],
        },
    )


async def context(call, task, *include, **more):
    return await call("get_context", {"mission_id": task["mission_id"], "include": list(include), **more})


async def test_a_decision_is_read_back_with_its_fields(call, task):
    decision = {
        "category": "library_choice",
        "question": "Which library?",
        "options_considered": ["a", "b"],
        "chosen": "a",
        "reasoning": "mature",
        "trade_offs": "size",
    }
    logged = await call("log_decision", {"task_id": task["task_id"], **decision})

    found = await context(call, task, "decisions")

    assert logged["decision_id"].startswith("dec_")
    assert found["decisions"] == [
        {
            "id": logged["decision_id"],
            "task_id": task["task_id"],
            "agent_name": "ada",
            "created_at": logged["created_at"],
            **decision,
            "category": "LIBRARY_CHOICE",
        }
    ]
    assert found["decisions_count"] == 1
    assert "tasks" not in found


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("documentation_gap", "DOC_GAP"),
        ("bug_encountered", "BUG"),
        ("dependency_conflict", "DEPENDENCY_CONFLICT"),
        ("unclear_requirement", "UNCLEAR_REQUIREMENT"),
        ("other", "OTHER"),
    ],
)
async def test_an_issue_that_needs_a_person_is_a_blocker(call, task, given, shown):
    await call(
        "log_issue", {"task_id": task["task_id"], "type": given, "description": "solved", "resolution": "workaround"}
    )
    issue = await call(
        "log_issue",
        {
            "task_id": task["task_id"],
            "type": given,
            "description": "which key?",
            "resolution": "guessed",
            "requires_human_review": True,
        },
    )

    found = await context(call, task, "blockers")

    assert [row["id"] for row in found["blockers"]] == [issue["issue_id"]]
    assert found["blockers"][0]["type"] == shown
    assert (found["blockers_count"], found["has_blockers"]) == (1, True)


async def test_milestones_keep_progress_and_metadata(call, task):
    await call(
        "log_milestone",
        {"task_id": task["task_id"], "message": "Tests run", "progress": 50, "metadata": {"n": [1, {"a": None}]}},
    )

    found = await context(call, task, "milestones")

    row = found["milestones"][0]
    assert (row["message"], row["progress"], row["metadata"]) == ("Tests run", 50, {"n": [1, {"a": None}]})


@pytest.mark.parametrize(
    "arguments",
    [
        {"message": "x" * 501},
        {"message": ""},
        {"message": "m", "progress": 101},
        {"message": "m", "progress": -1},
        {"message": "m", "metadata": []},
    ],
)
async def test_a_wrong_milestone_is_refused(call, task, arguments):
    with pytest.raises(InvalidInput):
        await call("log_milestone", {"task_id": task["task_id"], **arguments})
    assert (await context(call, task, "milestones"))["milestones_count"] == 0


async def test_an_unknown_task_is_not_found(call):
    with pytest.raises(NotFound):
        await call("log_milestone", {"task_id": "t_0000000000", "message": "m"})


async def test_tasks_are_rows_with_long_texts_cut(call, task):
    found = await context(call, task, "tasks", "phase_summary")

    (row,) = found["tasks"]
    assert row["goal"] == "g" * 500 + "…"
    assert (row["status"], row["caller_type"], row["agent_name"]) == ("IN_PROGRESS", "SUBAGENT", "ada")
    (phase,) = found["phase_summary"]
    assert phase["tasks"] == {"total": 1, "completed": 0, "failed": 0, "in_progress": 1, "pending": 0}
    assert (phase["phase_number"], phase["number"], phase["status"]) == (1, 1, "IN_PROGRESS")
    assert found["mission_status"] == "IN_PROGRESS"


async def test_pages_hold_every_row_once_and_newest_first(call, task):
    for number in range(7):
        await call("log_milestone", {"task_id": task["task_id"], "message": f"m{number}"})
        if number < 3:
            await call(
                "log_decision",
                {
                    "task_id": task["task_id"],
                    "category": "other",
                    "question": f"q{number}",
                    "chosen": "c",
                    "reasoning": "r",
                },
            )

    messages, questions, cursor = [], [], None
    while True:
        page = await context(call, task, "milestones", "decisions", limit=2, **({"cursor": cursor} if cursor else {}))
        messages += [row["message"] for row in page["milestones"]]
        questions += [row["question"] for row in page["decisions"]]
        assert (page["milestones_count"], page["decisions_count"]) == (7, 3)
        cursor = page["next_cursor"]
        if cursor is None:
            break

    assert messages == [f"m{number}" for number in reversed(range(7))]
    assert questions == ["q2", "q1", "q0"]


async def test_filters_narrow_by_phase_agent_and_time(call, task, clock):
    mission = task["mission_id"]
    clock.advance(hours=1)
    late = await call(
        "start_task",
        {
            "mission_id": mission,
            "phase": 2,
            "name": "late",
            "goal": "g",
            "caller_type": "subagent",
            "agent_name": "bob",
        },
    )

    for chosen in ({"phase": 2}, {"agent": "bob"}, {"since": late["started_at"]}, {"since": clock().timestamp() - 60}):
        found = await context(call, task, "tasks", filter=chosen)
        assert [row["id"] for row in found["tasks"]] == [late["task_id"]], chosen
        assert found["tasks_count"] == 1
        assert found["filters_applied"] is not None
    assert (await context(call, task, "tasks"))["tasks_count"] == 2
    assert "filters_applied" not in await context(call, task, "tasks")


async def test_a_wrong_section_time_or_cursor_is_explained(call, task):
    with pytest.raises(InvalidInput, match="not one of: decisions, milestones, blockers, phase_summary, tasks"):
        await context(call, task, "taks")
    with pytest.raises(InvalidInput, match=r"filter\.since"):
        await context(call, task, "tasks", filter={"since": "yesterday"})
    before_all_time = base64.urlsafe_b64encode(b'{"tasks": ["0001-01-01T00:00:00+14:00", "t_0"]}').decode().rstrip("=")
    for cursor in ("!!", "e30x", "bnVsbA", "W10", before_all_time):
        with pytest.raises(InvalidInput, match="cursor"):
            await context(call, task, "tasks", cursor=cursor)
    with pytest.raises(InvalidInput, match="no mission was given"):
        await call("get_context", {"include": ["tasks"]})


async def test_a_large_answer_goes_on_in_the_next_page_unless_its_rows_were_counted(call, task):
    for number in range(30):
        await call(
            "start_task",
            {"mission_id": task["mission_id"], "name": f"t{number}", "goal": "g" * 500, "areas": ["a" * 5_000] * 3},
        )

    seen, pages, cursor = [], 0, None
    while True:
        page = await context(call, task, "tasks", **({"cursor": cursor} if cursor else {}))
        assert len(str(page)) < 40_000
        seen += [row["name"] for row in page["tasks"]]
        pages, cursor = pages + 1, page["next_cursor"]
        if cursor is None:
            break
    assert pages > 1
    assert seen == [*(f"t{number}" for number in reversed(range(30))), "t"]
    assert len((await context(call, task, "tasks", limit=50))["tasks"]) == 31
