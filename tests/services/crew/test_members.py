"""Who belongs to a crew, how each stands, and the task and mission before it."""

from __future__ import annotations

import pytest

from mission.domain.agents.agent import AgentType, CrewState, Presence
from mission.domain.errors import InvalidAgentState
from mission.domain.executions.execution import ExecutionStatus
from mission.domain.inbox.item import ItemKind
from mission.domain.missions.mission import Family
from mission.domain.tasks.states import TaskStatus
from mission.services.crew import members as crew
from mission.services.missions.creation import NewMission
from mission.services.work import BackgroundWork
from tests.store.rows import at


def state(tx, agent):
    return crew.get(tx, agent=agent).state


def test_an_agent_that_asks_or_failed_says_so_before_that_it_works(tx, rows):
    worker = rows.agent("worker")
    assert state(tx, worker) is CrewState.IDLE

    task = rows.task(rows.mission(), status=TaskStatus.IN_PROGRESS, owner_id=worker.id, lease_until=at(1))
    assert state(tx, worker) is CrewState.BUSY

    tx.now = at(2)
    assert state(tx, worker) is CrewState.FAILED

    rows.item(ItemKind.QUESTION, agent_id=worker.id, task_id=task.id)
    assert state(tx, worker) is CrewState.WAITING


def test_an_agent_that_says_it_is_busy_is_at_work_without_a_task(tx, rows):
    assert state(tx, rows.agent(declared=Presence.BUSY)) is CrewState.BUSY


@pytest.mark.parametrize("status", list(ExecutionStatus))
def test_a_launched_agent_has_failed_with_its_last_execution_and_shows_it_while_it_lives(tx, rows, status):
    agent = rows.agent(metadata={"launched": True})
    execution = rows.execution(rows.task(rows.mission()), agent_id=agent.id, status=status)

    member = crew.get(tx, agent=agent)

    failed = status in {ExecutionStatus.FAILED, ExecutionStatus.LOST}
    assert (member.state is CrewState.FAILED) is failed
    assert member.execution_id == (execution.id if execution.is_live else None)


def test_the_task_of_an_agent_is_the_one_it_names_else_the_one_it_works_on(tx, rows):
    mission = rows.mission()
    worker = rows.agent("worker")
    waits = rows.task(mission, "waits", owner_id=worker.id, updated_at=at(9))
    works = rows.task(mission, "works", owner_id=worker.id, status=TaskStatus.IN_PROGRESS)
    rows.task(mission, "over", owner_id=worker.id, status=TaskStatus.COMPLETED, updated_at=at(10))

    assert crew.own_task(tx, agent=worker).id == works.id
    naming = rows.agent("naming", current_task_id=waits.id)
    for task in (waits, works):
        tx.tasks.save(task.handed_to(naming.id, at=tx.now, until=at(9)))
    assert crew.own_task(tx, agent=naming).id == waits.id


def test_only_a_worker_with_a_task_has_one(tx, rows):
    with pytest.raises(InvalidAgentState, match="only agents can call this"):
        crew.own_task(tx, agent=None)
    with pytest.raises(InvalidAgentState, match="is not a WORKER"):
        crew.own_task(tx, agent=rows.agent("lead", type=AgentType.SUPERVISOR))
    with pytest.raises(InvalidAgentState, match="no current task"):
        crew.own_task(tx, agent=rows.agent("idle"))


def test_a_mission_is_the_one_an_agent_leads_or_that_its_task_belongs_to(tx, rows):
    mission = rows.mission()
    worker, lead = rows.agent("worker"), rows.agent("lead", type=AgentType.ORCHESTRATOR)
    rows.task(mission, owner_id=worker.id)
    new = NewMission(name="Epic", objective="o", family=Family.WORKFLOW)

    made = crew.create_mission(tx, new=new, place=None, agent=lead)

    assert crew.current_mission(tx, agent=worker).id == mission.id
    assert crew.current_mission(tx, agent=lead).id == made.id
    with pytest.raises(InvalidAgentState, match="no current epic"):
        crew.current_mission(tx, agent=rows.agent("new", type=AgentType.ORCHESTRATOR))


def test_members_are_listed_newest_first_page_by_page(tx, rows):
    for minute, name in enumerate("abc"):
        rows.agent(name, created_at=at(minute))

    first = crew.list_members(tx, limit=2, cursor=None)
    rest = crew.list_members(tx, limit=2, cursor=first.next)

    assert [member.agent.name for member in (*first.rows, *rest.rows)] == ["c", "b", "a"]
    assert rest.next is None


async def test_the_branch_of_a_task_is_that_of_its_workspace_else_what_is_checked_out(
    app, call, make_agent, repository, git
):
    ada = await make_agent("ada")
    mission = await call("start_mission", {"name": "m", "objective": "o"})
    wanted = {"mission_id": mission["mission_id"], "name": "t", "goal": "g", "repository_path": str(repository)}
    await call("start_task", wanted | {"agent_id": ada})
    git(repository, "checkout", "-qb", "feature")
    agent = await app.database.read(lambda tx: tx.agents.get(ada))

    found = await crew.current_task(BackgroundWork(app.database), app.trees, agent=agent)

    assert (found.task.name, found.worktree, found.branch) == ("t", str(repository), "feature")
