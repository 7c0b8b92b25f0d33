"""A crew's tasks: made behind what they wait for, handed out, given into review, and listed."""

from __future__ import annotations

import pytest

from mission.domain.agents.agent import AgentType
from mission.domain.errors import InvalidInput, NotOwner
from mission.domain.missions.phase import PhaseStatus
from mission.domain.tasks.states import TaskStatus
from mission.services.crew import tasks as crew_tasks


def create(tx, mission, title, *, depends_on=(), agent=None, named=True):
    return crew_tasks.create(
        tx,
        agent=agent,
        mission_id=mission.id if named else None,
        title=title,
        description="d",
        depends_on=depends_on,
        fields=("title", "dependsOn"),
    )


def test_a_new_task_stands_in_the_last_phase_that_takes_tasks(tx, rows):
    mission = rows.mission()
    assert create(tx, mission, "first").phase_number == 1
    rows.phase(mission, 2, status=PhaseStatus.COMPLETED)

    assert create(tx, mission, "second").phase_number == 1
    late = rows.task(mission, "late", phase=2)
    assert create(tx, mission, "third", depends_on=[late.id]).phase_number == 3


def test_a_task_waits_for_others_by_id_or_title_of_its_own_mission(tx, rows):
    mission, other = rows.mission(), rows.mission("other")
    first, stranger = create(tx, mission, "first"), rows.task(other, "stranger")

    second = create(tx, mission, "second", depends_on=["first"])

    assert tx.plans.dependencies([second.id])[second.id] == [first.id]
    assert second.waiting_for == 1
    with pytest.raises(InvalidInput, match=r"dependsOn: .*has no task") as raised:
        create(tx, mission, "third", depends_on=[stranger.id, first.id])
    assert raised.value.details["tasks"] == [stranger.id]
    with pytest.raises(InvalidInput, match=r"title: .*already has a task 'first'"):
        create(tx, mission, "first")


def test_without_a_mission_it_is_the_one_the_agent_leads(tx, rows):
    mission = rows.mission()
    lead = rows.agent("lead", type=AgentType.ORCHESTRATOR, mission_id=mission.id)

    made = create(tx, mission, "a", agent=lead, named=False)

    assert made.mission_id == mission.id
    assert [task.id for task in listed(tx, None, agent=lead).tasks] == [made.id]


def listed(tx, mission, *, agent=None, fits=lambda _task: True, limit=9, offset=0, cursor=None):
    return crew_tasks.list_tasks(
        tx, agent=agent, mission_id=mission and mission.id, fits=fits, limit=limit, offset=offset, cursor=cursor
    )


@pytest.mark.parametrize("by", ["cursor", "offset"])
def test_tasks_that_fit_are_listed_in_the_order_of_the_plan_page_by_page(tx, rows, by):
    mission = rows.mission()
    for place in range(12):
        status = TaskStatus.FAILED if place % 3 == 0 else TaskStatus.PENDING
        rows.task(mission, str(place), position=place, status=status)
    seen, place = [], {}

    while True:
        page = listed(tx, mission, fits=lambda task: task.status is TaskStatus.FAILED, limit=2, **place)
        seen += [task.name for task in page.tasks]
        if page.next is None:
            break
        place = {"cursor": page.next} if by == "cursor" else {"offset": page.next_offset}

    assert seen == ["0", "3", "6", "9"]


def test_a_cursor_of_another_missions_task_is_refused(tx, rows):
    with pytest.raises(InvalidInput, match="cursor"):
        listed(tx, rows.mission(), cursor=rows.task(rows.mission("other")).id)


async def test_a_task_is_handed_out_once_and_the_second_hears_who_has_it(call, make_workflow, make_agent):
    _, tasks = await make_workflow({"name": "a", "description": "d", "sequence": 1, "depends_on": []})
    ada, bob = await make_agent("ada"), await make_agent("bob")

    assigned = await call("mcp__task__assign", {"taskId": tasks["a"], "agentId": "ada"})

    assert assigned["id"] == tasks["a"]
    with pytest.raises(NotOwner, match=ada):
        await call("mcp__task__assign", {"taskId": tasks["a"], "agentId": bob})


async def test_what_a_worker_gives_into_review_waits_for_a_person(call, make_workflow, make_agent):
    _, tasks = await make_workflow({"name": "a", "description": "d", "sequence": 1, "depends_on": []})
    ada = await make_agent("ada")
    await call("task_claim", {"task_id": tasks["a"], "agent_id": ada})
    await call("mcp__task__update_status", {"status": "IN_PROGRESS"}, agent=ada)

    await call("mcp__task__update_status", {"status": "REVIEW"}, agent=ada)

    [item] = (await call("queue_list"))["items"]
    assert (item["kind"], item["task_id"], item["agent_id"]) == ("review", tasks["a"], ada)
    task = await call.app.database.read(lambda tx: tx.tasks.get(tasks["a"]))
    assert task.status is TaskStatus.REVIEW
