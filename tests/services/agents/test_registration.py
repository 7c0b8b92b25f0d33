"""Agents: found by id or name, present while they show life, and what they give back when they leave."""

from __future__ import annotations

from datetime import timedelta

import pytest

from mission.domain.agents.agent import AgentRole, AgentType, Presence
from mission.domain.errors import AgentNotFound, InvalidInput, InvalidState, NotFound, PermissionDenied
from mission.domain.tasks.states import TaskStatus
from mission.services.agents import registration as agents
from mission.services.agents.registration import AgentFilter, LivenessSettings
from tests.store.rows import NOW, at

LIVENESS = LivenessSettings(heartbeat=timedelta(minutes=1), lease=timedelta(minutes=10))


def register(tx, *, by=None, role=AgentRole.WORKER, name="new", **fields):
    given = {"name": name, "runtime": "custom", "capabilities": (), "workspace_path": None, "metadata": None}
    return agents.register(tx, by=by, role=role, **{**given, **fields}).agent


def test_a_name_belongs_to_the_one_who_shows_life_and_else_to_the_only_one_there_is(tx, rows):
    crashed = rows.agent("ada", last_seen_at=at(-60))
    assert agents.find(tx, reference="ada").id == crashed.id

    successor = rows.agent("ada")
    assert agents.find(tx, reference="ada").id == successor.id
    assert agents.find(tx, reference=crashed.id).id == crashed.id

    rows.agent("ada")
    with pytest.raises(InvalidInput, match="several live agents") as raised:
        agents.find(tx, reference="ada", field="to")
    assert successor.id in raised.value.hint


def test_a_wrong_reference_says_what_it_is_instead(tx):
    with pytest.raises(InvalidInput, match="task"):
        agents.find(tx, reference="t_0123456789")
    with pytest.raises(AgentNotFound) as raised:
        agents.find(tx, reference="n" * 5_000)
    assert len(raised.value.message) < 200


@pytest.mark.parametrize("by", [None, *AgentType])
def test_only_the_operator_or_a_supervisor_registers_a_coordinator(tx, rows, by):
    asking = rows.agent(type=by) if by is not None else None

    if by in (None, AgentType.SUPERVISOR):
        assert register(tx, by=asking, role=AgentRole.COORDINATOR).role is AgentRole.COORDINATOR
    else:
        with pytest.raises(PermissionDenied):
            register(tx, by=asking, role=AgentRole.COORDINATOR)
    supervises = by is not None and by.commands(AgentType.WORKER)
    assert register(tx, by=asking, name="hand").supervisor_id == (asking.id if supervises else None)


def test_an_agent_cannot_take_the_name_of_one_that_lives(tx, rows):
    boss, taken = rows.agent("boss", type=AgentType.SUPERVISOR), rows.agent("new")

    with pytest.raises(InvalidState, match=taken.id):
        register(tx, by=boss)

    assert register(tx, by=None).id != taken.id
    tx.now = at(60)
    assert register(tx, by=boss).name == "new"


def test_one_that_registers_again_is_who_it_was(tx, rows):
    worker = rows.agent("new", declared=Presence.OFFLINE, capabilities=["go"])
    session = register(tx, name="client", metadata={"session_id": "s1"})

    again = register(tx, by=worker, capabilities=["rust"])

    assert (again.id, again.capabilities, again.declared) == (worker.id, ["rust"], Presence.ONLINE)
    assert register(tx, name="client", metadata={"session_id": "s1"}).id == session.id
    assert register(tx, name="client", metadata={"session_id": "s2"}).id != session.id


def test_a_sign_of_life_is_told_only_when_it_changes_what_others_see(tx, rows):
    agent = rows.agent(last_seen_at=at(-60))
    task = rows.task(rows.mission(), owner_id=agent.id, lease_until=at(-50))

    def beat(**fields):
        before = len(tx.emitted)
        seen = agents.heartbeat(
            tx, agent_id=agent.id, **{"current_task_id": None, "status": None, "liveness": LIVENESS, **fields}
        )
        return str(seen.presence), len(tx.emitted) - before

    assert beat() == ("online", 1)
    assert beat() == ("online", 0)
    assert beat(status=Presence.BUSY, current_task_id=task.id) == ("busy", 1)
    assert beat() == ("busy", 0)
    assert tx.tasks.get(task.id).lease_until == NOW + LIVENESS.lease
    assert tx.agents.get(agent.id).current_task_id == task.id
    with pytest.raises(NotFound):
        beat(current_task_id="t_nowhere000")


def test_one_that_left_is_back_with_its_next_sign_of_life(tx, rows):
    agent = rows.agent(declared=Presence.OFFLINE)

    assert (
        agents.heartbeat(tx, agent_id=agent.id, current_task_id=None, status=None, liveness=LIVENESS).presence
        == "online"
    )


def test_leaving_gives_back_everything_open_but_what_is_kept(tx, rows):
    agent = rows.agent()
    mission = rows.mission()
    kept, free, ended = (
        rows.task(mission, owner_id=agent.id, lease_until=at(9), status=status)
        for status in (TaskStatus.PAUSED, TaskStatus.IN_PROGRESS, TaskStatus.COMPLETED)
    )

    seen = agents.leave(tx, agent_id=agent.id, keeping=kept.id, liveness=LIVENESS)

    assert (seen.presence, seen.agent.current_task_id) == (Presence.OFFLINE, None)
    assert [tx.tasks.get(task.id).owner_id for task in (kept, free, ended)] == [agent.id, None, agent.id]
    back = agents.returned(tx, agent_id=agent.id, task_id=kept.id, liveness=LIVENESS)
    assert (back.presence, back.agent.current_task_id) == (Presence.BUSY, kept.id)


def test_a_list_is_narrowed_by_what_readers_see_before_it_is_cut(tx, rows):
    rows.agent("silent", last_seen_at=at(-60))
    rows.agent("left", declared=Presence.OFFLINE, created_at=at(-1))
    rows.agent("here", last_seen_at=at(-0.5), created_at=at(-2))

    def listed(*presences, limit=9, cursor=None, **fits):
        wanted = AgentFilter(presences=presences or None, **fits)
        page = agents.list_agents(tx, wanted=wanted, liveness=LIVENESS, limit=limit, cursor=cursor)
        return [each.agent.name for each in page.rows], page.next

    assert listed(Presence.ONLINE, limit=1) == (["here"], None)
    assert listed(Presence.OFFLINE) == (["silent", "left"], None)
    assert listed(role=AgentRole.COORDINATOR) == ([], None)
    names, cursor = listed(limit=2)
    assert names == ["silent", "left"]
    assert listed(limit=2, cursor=cursor) == (["here"], None)
    assert len(agents.every(tx, wanted=AgentFilter(), liveness=LIVENESS)) == 3
