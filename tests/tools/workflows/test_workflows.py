"""Workflows with plans: create, plan, extend, steer, what comes next, how far it is."""

from __future__ import annotations

import pytest

from mission.domain.errors import InvalidInput, InvalidState
from mission.store.tasks import claims as store_claims
from tests.tools.conftest import planned

DIAMOND = (
    planned("base"),
    planned("left", sequence=2, after=["base"], parallel_group="sides"),
    planned("right", sequence=2, after=["base"], parallel_group="sides"),
    planned("roof", sequence=3, after=["left", "right"], requires=["roofing"], estimated_complexity="high"),
)


async def finish(call, task_id):
    await call("task_update_status", {"id": task_id, "status": "in_progress"})
    await call("task_update_status", {"id": task_id, "status": "completed", "outcome": "done"})


async def test_a_workflow_remembers_where_it_comes_from(call, repository):
    created = await call(
        "workflow_create",
        {
            "name": "Auth",
            "source_type": "github_issue",
            "source_ref": "https://example.org/1",
            "source_content": "Please add JWT",
            "repository_path": str(repository),
            "max_parallel_tasks": 3,
            "auto_create_workspaces": True,
        },
    )
    found = await call("workflow_get", {"id": created["id"]})

    assert created == {"id": created["id"], "name": "Auth", "status": "planning", "max_parallel_tasks": 3}
    assert found == {
        "id": created["id"],
        "name": "Auth",
        "status": "planning",
        "source_type": "github_issue",
        "source_ref": "https://example.org/1",
        "source_content": "Please add JWT",
        "plan": None,
        "plan_summary": None,
        "max_parallel_tasks": 3,
        "auto_create_workspaces": True,
        "repository_path": str(repository),
        "created_at": found["created_at"],
        "updated_at": found["updated_at"],
        "tasks_total": 0,
    }
    listed = await call("workflow_list", {"repository_path": f"{repository}/"})
    assert [each["id"] for each in listed["workflows"]] == [created["id"]]
    with pytest.raises(InvalidInput, match="repository_path: 'auth' is not an absolute path"):
        await call("workflow_list", {"repository_path": "auth"})


async def test_the_defaults_are_one_task_at_a_time_without_workspaces(call):
    created = await call("workflow_create", {"name": "x", "source_type": "custom", "source_content": "y"})

    assert created["max_parallel_tasks"] == 1
    assert (await call("workflow_get", {"id": created["id"]}))["auto_create_workspaces"] is False


async def test_a_plan_makes_its_tasks_and_one_event(call, make_workflow):
    id, _ = await make_workflow()
    before = await call.app.database.read(lambda tx: tx.events.newest())
    plan = {"summary": "A house", "approach": "bottom up", "tasks": DIAMOND, "risks": ["rain"], "assumptions": ["land"]}

    done = await call("workflow_set_plan", {"id": id, "plan": plan})
    found = await call("workflow_get", {"id": id, "include_tasks": True})
    ids = {task["name"]: task["id"] for task in found["tasks"]}

    told = await call.app.database.read(lambda tx: tx.events.since(before, limit=100))
    assert [event.type for event in told] == ["workflow:updated"]
    assert done == {"workflow_id": id, "tasks_created": 4, "parallelizable_groups": 1, "status": "ready"}
    assert found["plan"] == {"summary": "A house", "approach": "bottom up", "risks": ["rain"], "assumptions": ["land"]}
    assert (found["plan_summary"], found["status"], found["tasks_total"]) == ("A house", "ready", 4)
    assert [task["status"] for task in found["tasks"]] == ["pending", "blocked", "blocked", "blocked"]
    assert found["tasks"][3] == {
        "id": ids["roof"],
        "name": "roof",
        "status": "blocked",
        "state": "waiting",
        "sequence": 3,
        "depends_on": sorted([ids["left"], ids["right"]]),
        "failed_attempts": 0,
    }


async def test_whole_tasks_are_given_instead_of_summaries(call, make_workflow):
    id, tasks = await make_workflow(*DIAMOND)

    found = await call("workflow_get", {"id": id, "include_tasks": True, "include_task_summaries": False})

    assert found["tasks"][3] == await call("task_get", {"id": tasks["roof"]})
    assert found["tasks"][3]["requires"] == ["roofing"]
    assert found["tasks"][3]["estimated_complexity"] == "high"


async def test_tasks_come_in_pages_of_200(call, make_workflow):
    id, _ = await make_workflow(*(planned(f"t{number}") for number in range(250)))

    first = await call("workflow_get", {"id": id, "include_tasks": True})
    second = await call("workflow_get", {"id": id, "include_tasks": True, "offset": first["next_offset"]})

    assert (len(first["tasks"]), len(second["tasks"]), "next_offset" in second) == (200, 50, False)
    assert [task["name"] for task in first["tasks"] + second["tasks"]] == [f"t{number}" for number in range(250)]


@pytest.mark.parametrize(
    ("tasks", "said"),
    [
        ([planned("a"), planned("a")], "'a'"),
        ([planned("a", after=["b"])], "'b' (needed by 'a')"),
        ([planned("a", after=["a"])], "themselves: 'a'"),
        ([planned("a", after=["b"]), planned("b", after=["a"])], "a → b → a"),
        ([], "plan.tasks: must have at least 1 item, not 0"),
    ],
)
async def test_a_plan_that_cannot_be_followed_is_refused_by_name(call, make_workflow, tasks, said):
    id, _ = await make_workflow()

    with pytest.raises(InvalidInput) as caught:
        await call("workflow_set_plan", {"id": id, "plan": {"summary": "s", "approach": "a", "tasks": tasks}})

    assert said in caught.value.message
    assert (await call("workflow_get", {"id": id}))["tasks_total"] == 0


async def test_a_plan_that_nobody_touched_is_replaced_and_one_in_hand_is_not(call, make_workflow, make_agent):
    id, _ = await make_workflow(planned("old"))
    plan = {"summary": "s2", "approach": "a", "tasks": [planned("new", sequence=4)]}

    await call("workflow_set_plan", {"id": id, "plan": plan})
    found = await call("workflow_get", {"id": id, "include_tasks": True})
    await call("task_claim", {"task_id": found["tasks"][0]["id"], "agent_id": await make_agent()})

    assert [task["name"] for task in found["tasks"]] == ["new"]
    with pytest.raises(InvalidState, match="'new'"):
        await call("workflow_set_plan", {"id": id, "plan": plan})


async def test_a_plan_under_way_is_extended_by_name_and_by_id(call, make_workflow):
    id, tasks = await make_workflow(planned("a"), planned("b", sequence=2))
    await finish(call, tasks["b"])
    await call("task_update_status", {"id": tasks["a"], "status": "in_progress"})

    added = await call(
        "workflow_add_tasks",
        {"id": id, "tasks": [planned("c", sequence=3, after=["a", tasks["b"]]), planned("d", sequence=3, after=["c"])]},
    )
    c = await call("task_get", {"id": added["task_ids"][0]})

    assert (added["tasks_created"], added["status"]) == (2, "in_progress")
    assert (c["status"], c["depends_on"]) == ("blocked", sorted(tasks.values()))
    await call("task_update_status", {"id": tasks["a"], "status": "completed", "outcome": "ok"})
    assert (await call("task_get", {"id": c["id"]}))["status"] == "pending"
    with pytest.raises(InvalidInput, match="'a'") as caught:
        await call("workflow_add_tasks", {"id": id, "tasks": [planned("a")]})
    assert caught.value.details["field"] == "tasks"
    with pytest.raises(InvalidState, match="phase 2"):
        await call("workflow_add_tasks", {"id": id, "tasks": [planned("e", sequence=2)]})


async def test_a_planned_phase_closes_with_its_last_task_unless_one_failed(call, make_workflow):
    id, tasks = await make_workflow(planned("a"), planned("b"), planned("c", sequence=2))

    async def phases():
        found = await call("get_context", {"workflow_id": id, "include": ["phase_summary"]})
        return [phase["status"] for phase in found["phase_summary"]]

    assert await phases() == ["PENDING", "PENDING"]
    await finish(call, tasks["a"])
    await call("task_update_status", {"id": tasks["b"], "status": "in_progress"})
    await call("task_update_status", {"id": tasks["b"], "status": "failed", "error": "no"})
    assert await phases() == ["IN_PROGRESS", "PENDING"]
    await call("task_update_status", {"id": tasks["b"], "status": "skipped"})
    await call("task_update_status", {"id": tasks["c"], "status": "skipped"})
    assert await phases() == ["COMPLETED", "COMPLETED"]


async def test_next_tasks_count_what_runs_against_the_limit(call, make_workflow):
    id, tasks = await make_workflow(*DIAMOND, parallel=2)
    first = await call("workflow_next_tasks", {"workflow_id": id})
    await finish(call, tasks["base"])

    both = await call("workflow_next_tasks", {"workflow_id": id})
    await call("task_update_status", {"id": tasks["left"], "status": "in_progress"})
    one = await call("workflow_next_tasks", {"workflow_id": id})

    assert [task["name"] for task in first["tasks"]] == ["base"]
    assert both == {
        "tasks": [
            {
                "id": tasks[name],
                "name": name,
                "description": f"do {name}",
                "can_parallelize": True,
                "parallel_with": [tasks[other]],
                "dependencies_completed": [tasks["base"]],
            }
            for name, other in (("left", "right"), ("right", "left"))
        ],
        "max_parallel": 2,
        "recommended_count": 2,
        "workflow_status": "in_progress",
        "all_complete": False,
        "next_cursor": None,
    }
    assert ([task["name"] for task in one["tasks"]], one["recommended_count"]) == (["right"], 1)
    await call("workflow_set_parallelism", {"id": id, "max_parallel_tasks": 1})
    assert (await call("workflow_next_tasks", {"workflow_id": id}))["recommended_count"] == 0


async def test_next_tasks_are_as_many_as_may_run_unless_fewer_are_asked_for(call, make_workflow):
    id, _ = await make_workflow(*(planned(f"t{number}") for number in range(40)), parallel=30)

    every = await call("workflow_next_tasks", {"workflow_id": id})
    few = await call("workflow_next_tasks", {"workflow_id": id, "limit": 5})

    assert (len(every["tasks"]), every["recommended_count"]) == (30, 30)
    assert (len(few["tasks"]), few["recommended_count"]) == (5, 30)


async def test_next_tasks_that_are_not_shown_are_only_counted(call, make_workflow, monkeypatch):
    id, tasks = await make_workflow(*(planned(f"t{number}") for number in range(40)), parallel=30)
    await call("task_update_status", {"id": tasks["t7"], "status": "skipped"})
    read = []
    entity = type(store_claims.MAPPER).entity
    monkeypatch.setattr(type(store_claims.MAPPER), "entity", lambda self, row: read.append(1) or entity(self, row))

    one = await call("workflow_next_tasks", {"workflow_id": id, "limit": 1})
    for_one = len(read)
    every = await call("workflow_next_tasks", {"workflow_id": id})

    assert ([task["name"] for task in one["tasks"]], one["recommended_count"]) == (["t0"], 30)
    assert one["recommended_count"] == every["recommended_count"]
    assert for_one < 10 < len(every["tasks"])


async def test_failed_tasks_come_again_unless_they_are_not_wanted(call, make_workflow):
    id, tasks = await make_workflow(planned("a"), planned("b"))
    await call("task_update_status", {"id": tasks["a"], "status": "in_progress"})
    await call("task_update_status", {"id": tasks["a"], "status": "failed", "error": "no"})

    both = await call("workflow_next_tasks", {"workflow_id": id})
    fresh = await call("workflow_next_tasks", {"workflow_id": id, "include_failed": False})

    assert [task["name"] for task in both["tasks"]] == ["a", "b"]
    assert [task["name"] for task in fresh["tasks"]] == ["b"]


async def test_a_paused_workflow_hands_out_nothing(call, make_workflow, make_agent):
    id, tasks = await make_workflow(planned("a"))
    agent = await make_agent()
    await call("workflow_update_status", {"id": id, "status": "paused", "reason": "lunch"})

    assert (await call("workflow_next_tasks", {"workflow_id": id}))["tasks"] == []
    assert (await call("task_claim_next", {"agent_id": agent}))["success"] is False
    assert (await call("task_claim_next", {"agent_id": agent, "workflow_id": id}))["success"] is False
    assert (await call("task_get_available", {"agent_id": agent, "workflow_id": id}))["tasks"] == []
    with pytest.raises(InvalidState, match="paused"):
        await call("task_claim", {"agent_id": agent, "task_id": tasks["a"]})
    await call("workflow_update_status", {"id": id, "status": "in_progress"})
    assert (await call("task_claim_next", {"agent_id": agent}))["success"] is True


async def test_progress_tells_what_blocks_what_and_how_long_it_may_take(call, make_workflow, clock):
    id, tasks = await make_workflow(*DIAMOND, parallel=2)
    fresh = await call("workflow_progress", {"workflow_id": id})
    await call("task_update_status", {"id": tasks["base"], "status": "in_progress"})
    clock.advance(seconds=10)
    await call("task_update_status", {"id": tasks["base"], "status": "completed", "outcome": "ok"})
    await call("task_update_status", {"id": tasks["left"], "status": "in_progress"})
    await call("task_update_status", {"id": tasks["left"], "status": "blocked", "error": "no bricks"})

    found = await call("workflow_progress", {"workflow_id": id})

    assert (fresh["estimated_remaining"], fresh["remaining_tasks"], fresh["current_sequence"]) == (None, 4, 1)
    assert found == {
        "total_tasks": 4,
        "by_status": {
            "pending": 1,
            "blocked": 2,
            "planning": 0,
            "in_progress": 0,
            "paused": 0,
            "completed": 1,
            "failed": 0,
            "skipped": 0,
        },
        "completed_sequence": 1,
        "current_sequence": 2,
        "blocked_tasks": [
            {"id": tasks["left"], "name": "left", "blocked_by": []},
            {"id": tasks["roof"], "name": "roof", "blocked_by": ["left", "right"]},
        ],
        "parallel_groups": [{"group_id": "sides", "task_count": 2, "completed": 0}],
        "remaining_tasks": 3,
        "estimated_remaining": pytest.approx(15, abs=0.1),
        "estimated_range": pytest.approx([7.5, 30], abs=0.1),
    }
    seen = await call("overview_mission", {"mission_id": id})
    assert seen["remaining_seconds"] == found["estimated_remaining"]
    assert seen["estimated_range"] == found["estimated_range"]
    assert seen["critical_seconds"] == pytest.approx(20, abs=0.1)


async def told(call, id):
    """Every place that tells how long a mission may take, as one: they must agree."""
    progress = await call("workflow_progress", {"workflow_id": id})
    seen = await call("overview_mission", {"mission_id": id})
    short = (await call("workflow_get_summary", {"id": id}))["summary"]
    assert seen["remaining_seconds"] == pytest.approx(progress["estimated_remaining"], abs=0.01)
    assert short["estimated_remaining"] == pytest.approx(progress["estimated_remaining"], abs=0.01)
    ranges = [seen["estimated_range"], short["estimated_range"]]
    assert ranges == [None, None] or ranges == [pytest.approx(progress["estimated_range"], abs=0.01)] * 2
    return progress["estimated_remaining"], progress["estimated_range"], seen["critical_seconds"]


async def worked(call, clock, task, seconds):
    await call("task_update_status", {"id": task, "status": "in_progress"})
    clock.advance(seconds=seconds)
    await call("task_update_status", {"id": task, "status": "completed", "outcome": "ok"})


async def test_an_estimate_waits_for_five_tasks_and_never_says_less_than_what_runs_has_taken(
    call, make_workflow, clock
):
    id, tasks = await make_workflow(*(planned(f"t{number}") for number in range(60)), parallel=4)
    for number in range(4):
        await worked(call, clock, tasks[f"t{number}"], 3)

    early = await told(call, id)
    markdown = (await call("workflow_get_summary", {"id": id, "format": "markdown"}))["summary"]
    await worked(call, clock, tasks["t4"], 3)
    enough = await told(call, id)
    await call("task_update_status", {"id": tasks["t5"], "status": "in_progress"})
    clock.advance(minutes=10)
    later = await told(call, id)

    assert early == (None, None, None)
    assert "remain" not in markdown
    assert (await call("overview_mission", {"mission_id": id}))["typical_seconds"] == pytest.approx(3, abs=0.01)
    assert enough[0] == pytest.approx(55 * 3 / 4, abs=0.1)
    assert later[0] == pytest.approx(600, abs=0.1)
    assert later[1] == [pytest.approx(600, abs=0.1), pytest.approx(1200, abs=0.1)]
    assert later[2] == pytest.approx(600, abs=0.1)


async def test_a_task_that_waits_for_a_person_makes_the_estimate_no_longer(call, make_workflow, clock):
    id, tasks = await make_workflow(*(planned(f"t{number}") for number in range(10)), parallel=1)
    await worked(call, clock, tasks["t0"], 60)
    await call("task_update_status", {"id": tasks["t1"], "status": "in_progress"})
    await call("task_update_status", {"id": tasks["t1"], "status": "blocked", "error": "no key"})
    clock.advance(hours=8)

    seconds, (low, high), _ = await told(call, id)

    assert (seconds, low, high) == (pytest.approx(540, abs=1), pytest.approx(270, abs=1), pytest.approx(1080, abs=1))


async def _fail(call, task, agents):
    await call("task_update_status", {"id": task, "status": "failed", "error": "no", "agent_id": agents[0]})


async def _release(call, task, agents):
    await call("task_release", {"task_id": task, "agent_id": agents[0]})


async def _ask(call, task, agents):
    await call("task_update_status", {"id": task, "status": "blocked", "error": "which?", "agent_id": agents[0]})


async def _start_again(call, task, agents):
    await call("start_task", {"task_id": task, "agent_id": agents[0]})


async def _hand_over(call, task, agents):
    await call("task_claim", {"task_id": task, "agent_id": agents[1]})
    await call("start_task", {"task_id": task, "agent_id": agents[1]})


async def _answer(call, _task, _agents):
    (item,) = (await call("queue_list"))["items"]
    await call("queue_answer", {"id": item["id"], "text": "this one"})


async def _lapse(call, _task, agents):
    await call("agent_heartbeat", {"agent_id": agents[1]})


@pytest.mark.parametrize(
    ("stop", "go_on"),
    [
        (_fail, _start_again),
        (_fail, _hand_over),
        (_release, _start_again),
        (_release, _hand_over),
        (_ask, _answer),
        (_lapse, _hand_over),
    ],
)
async def test_time_in_which_nobody_worked_on_a_task_does_not_count(
    call, make_workflow, make_agent, clock, stop, go_on
):
    agents = [await make_agent("ada"), await make_agent("bob")]
    id, tasks = await make_workflow(*(planned(f"t{number}") for number in range(4)), parallel=1)
    await worked(call, clock, tasks["t0"], 60)
    await call("start_task", {"task_id": tasks["t1"], "agent_id": agents[0]})
    clock.advance(seconds=10)
    await stop(call, tasks["t1"], agents)
    clock.advance(hours=20)
    await go_on(call, tasks["t1"], agents)
    clock.advance(seconds=5)

    seconds, (low, high), critical = await told(call, id)
    seen = {task["name"]: task for task in (await call("overview_mission", {"mission_id": id}))["tasks"]}

    assert seconds == pytest.approx(180, abs=1)
    assert (low, high) == (pytest.approx(90, abs=1), pytest.approx(360, abs=1))
    assert critical == pytest.approx(60, abs=1)
    assert seen["t1"]["remaining_seconds"] == pytest.approx(55, abs=1)
    assert seen["t2"]["remaining_seconds"] == pytest.approx(60, abs=1)
    assert seen["t0"]["remaining_seconds"] is None

    await call("complete_task", {"task_id": tasks["t1"], "status": "success", "outcome": {"summary": "s"}})
    assert (await told(call, id))[0] <= 120, "what is usual knows nothing of the night either"


async def test_a_workflow_whose_tasks_are_all_done_says_so(call, make_workflow):
    id, tasks = await make_workflow(planned("a"), planned("b", sequence=2, after=["a"]))
    await finish(call, tasks["a"])
    await call("task_update_status", {"id": tasks["b"], "status": "skipped"})

    found = await call("workflow_progress", {"workflow_id": id})

    assert (await call("workflow_next_tasks", {"workflow_id": id}))["all_complete"] is True
    assert (found["completed_sequence"], found["current_sequence"], found["estimated_remaining"]) == (2, 0, 0)


async def test_completed_wants_every_task_ended_and_abandoned_skips_them(call, make_workflow):
    id, _ = await make_workflow(planned("a"), planned("b", after=["a"]))

    with pytest.raises(InvalidState, match="'a'") as caught:
        await call("workflow_update_status", {"id": id, "status": "completed"})
    assert "partial" not in caught.value.hint  # which this tool does not know
    await call("workflow_update_status", {"id": id, "status": "abandoned", "reason": "no use"})

    found = await call("workflow_get", {"id": id, "include_tasks": True})
    assert found["status"] == "abandoned"
    assert [task["status"] for task in found["tasks"]] == ["skipped", "skipped"]
    with pytest.raises(InvalidState, match="abandoned"):
        await call("workflow_update_status", {"id": id, "status": "in_progress"})


async def test_ten_thousand_tasks_are_one_call(call, make_workflow):
    tasks = [planned(f"t{n}", sequence=n // 100 + 1, after=[f"t{n - 1}"] if n % 10 else []) for n in range(10_000)]

    id, _ = await make_workflow(*tasks, parallel=50)
    found = await call("workflow_progress", {"workflow_id": id})

    assert (found["total_tasks"], found["by_status"]["blocked"]) == (10_000, 9_000)
    assert len((await call("workflow_next_tasks", {"workflow_id": id}))["tasks"]) == 50


async def test_a_plan_of_another_dialect_is_workable_in_both(call, make_workflow):
    id, tasks = await make_workflow(planned("a"), planned("b", after=["a"]))

    with pytest.raises(InvalidState, match="is waiting for") as caught:
        await call("start_task", {"task_id": tasks["b"]})
    started = await call("start_task", {"task_id": tasks["a"]})
    await call("complete_task", {"task_id": tasks["a"], "status": "success", "outcome": {"summary": "ok"}})

    assert caught.value.details["waiting_for"] == [tasks["a"]]
    assert (started["workflow_id"], started["phase_number"]) == (id, 1)
    assert (await call("task_get", {"id": tasks["a"]}))["outcome"] == "ok"
    assert (await call("start_task", {"task_id": tasks["b"]}))["task_id"] == tasks["b"]


async def test_tasks_have_the_words_that_the_page_shows_and_count_failed_attempts(call, make_workflow):
    names = ("waits", "ready", "works", "done", "fails")
    after = {"waits": ("ready",)}
    id, tasks = await make_workflow(*(planned(name, after=after.get(name, ())) for name in names))
    for name in ("works", "done", "fails"):
        await call("task_update_status", {"id": tasks[name], "status": "in_progress"})
    await call("task_update_status", {"id": tasks["done"], "status": "completed", "outcome": "ok"})
    await call("task_update_status", {"id": tasks["fails"], "status": "failed", "error": "boom"})
    page = {row["name"]: row for row in (await call("overview_mission", {"mission_id": id}))["tasks"]}

    for summaries in (True, False):
        wanted = {"id": id, "include_tasks": True, "include_task_summaries": summaries}
        found = {row["name"]: row for row in (await call("workflow_get", wanted))["tasks"]}
        assert {name: row["state"] for name, row in found.items()} == {
            "waits": "waiting",
            "ready": "ready",
            "works": "working",
            "done": "unproved",
            "fails": "failed",
        }
        for name, row in found.items():
            assert (row["state"], row["failed_attempts"]) == (page[name]["state"], page[name]["failed_attempts"])
    assert found["fails"]["failed_attempts"] == 1
    assert (await call("task_get", {"id": tasks["waits"]}))["state"] == "waiting"
