"""Claims: one owner at a time, a lease, a fence, and what the next owner is told."""

from __future__ import annotations

import asyncio
import random

import pytest

from mission.domain.errors import AgentNotFound, InvalidInput, InvalidState, NotOwner
from mission.events.bus import Topic
from mission.services.tasks import claims
from tests import fault_cases
from tests.tools.conftest import planned

LEASE = {"minutes": 16}
"""Longer than a claim lasts without a sign of life."""


async def claim(call, task, agent):
    return await call("task_claim", {"task_id": task, "agent_id": agent})


async def settle(call):
    """Write the signs of life that nobody waits for."""
    await call.app.gateway._heartbeats.settle()


def writes(task, agent, *, lapsed=False):
    """Everything that only the owner of a task may do; what begins a task takes one over whose owner is gone."""
    plan = {"approach": "x", "steps": []}
    mine = {"task_id": task, "agent_id": agent}
    own = {"id": task, "agent_id": agent}
    begins = [
        ("start_task", mine),
        ("task_set_plan", {**own, "plan": plan}),
        *(("task_update_status", {**own, "status": status}) for status in ("planning", "in_progress")),
    ]
    return [
        *([] if lapsed else begins),
        ("complete_task", {**mine, "status": "success", "outcome": {"summary": "x"}}),
        ("checkpoint_add", {**mine, "type": "progress", "summary": "x"}),
        ("log_decision", {**mine, "category": "other", "question": "x", "chosen": "x", "reasoning": "x"}),
        ("log_issue", {**mine, "type": "other", "description": "x", "resolution": "x"}),
        ("log_milestone", {**mine, "message": "x"}),
        ("task_replan", {**own, "reason": "x", "new_plan": plan}),
        ("task_release", mine),
        *(
            ("task_update_status", {**own, "status": status, "outcome": "x", "error": "x"})
            for status in ("pending", "blocked", "paused", "completed", "failed", "skipped")
        ),
    ]


async def test_a_task_that_is_given_back_tells_its_workflow(call, make_workflow, make_agent):
    ada = await make_agent("ada")
    id, tasks = await make_workflow(planned("a"))
    await call("start_task", {"task_id": tasks["a"], "agent_id": ada})
    before = call.app.events.last

    await call("task_release", {"task_id": tasks["a"], "agent_id": ada})

    told = await call.app.events.read(Topic(f"mission:{id}"), since=before)
    assert [event.type for event in told.events] == ["task:updated", "workflow:updated"]


async def test_a_second_claim_is_refused_and_names_the_holder(call, make_workflow, make_agent):
    ada, bob = await make_agent("ada"), await make_agent("bob")
    _, tasks = await make_workflow(planned("a"))

    first = await claim(call, tasks["a"], ada)
    second = await claim(call, tasks["a"], bob)
    again = await claim(call, tasks["a"], ada)

    assert first == {"success": True, "fence": 1, "recovery": None}
    assert second == {"success": False, "already_claimed_by": ada, "fence": None, "recovery": None}
    assert (again["success"], again["fence"]) == (True, 1)


async def test_a_claim_says_since_when_and_until_when(call, make_workflow, make_agent, clock):
    agent = await make_agent()
    _, tasks = await make_workflow(planned("a"))
    await claim(call, tasks["a"], agent)

    found = await call("task_get", {"id": tasks["a"]})

    assert (found["assigned_agent_id"], found["status"], found["fence"]) == (agent, "pending", 1)
    assert found["claimed_at"][:16] == "2026-01-15T10:00"
    assert found["lease_until"][:16] == "2026-01-15T10:15"


async def test_a_task_in_other_hands_or_ended_cannot_be_claimed(call, make_workflow, make_agent):
    agent = await make_agent()
    _, tasks = await make_workflow(planned("a"), planned("b"))
    await call("task_update_status", {"id": tasks["a"], "status": "in_progress"})
    await call("task_update_status", {"id": tasks["b"], "status": "skipped"})

    assert (await claim(call, tasks["a"], agent))["already_claimed_by"] == "operator"
    with pytest.raises(InvalidState, match="skipped"):
        await claim(call, tasks["b"], agent)
    with pytest.raises(AgentNotFound):
        await claim(call, tasks["a"], "a_0000000000")


async def test_a_late_owner_keeps_its_rights_until_another_claims(call, make_workflow, make_agent, clock):
    ada, bob = await make_agent("ada"), await make_agent("bob")
    _, tasks = await make_workflow(planned("a"))
    await claim(call, tasks["a"], ada)
    await call("task_update_status", {"id": tasks["a"], "status": "in_progress", "agent_id": ada})
    note = {"task_id": tasks["a"], "type": "progress", "summary": "half", "agent_id": ada}
    clock.advance(**LEASE)
    await call("checkpoint_add", note | {"fence": 1})
    await settle(call)
    clock.advance(**LEASE)

    taken = await claim(call, tasks["a"], bob)

    assert (taken["success"], taken["fence"]) == (True, 2)
    assert taken["recovery"]["previous_owner"] == ada
    assert [each["summary"] for each in taken["recovery"]["checkpoints"]] == ["half"]
    for tool, arguments in [
        ("checkpoint_add", note),
        ("task_update_status", {"id": tasks["a"], "status": "completed", "outcome": "x", "agent_id": ada}),
        ("task_update_status", {"id": tasks["a"], "status": "in_progress", "agent_id": ada}),
        ("task_set_plan", {"id": tasks["a"], "plan": {"approach": "x", "steps": []}, "agent_id": ada}),
        ("task_release", {"task_id": tasks["a"], "agent_id": ada}),
        ("checkpoint_add", {"task_id": tasks["a"], "type": "progress", "summary": "x", "fence": 1}),
        *writes(tasks["a"], ada),
    ]:
        with pytest.raises(NotOwner) as caught:
            await call(tool, arguments)
        assert caught.value.details["owner_id"] == bob
    refused = await claim(call, tasks["a"], ada)
    assert (refused["success"], refused["already_claimed_by"]) == (False, bob)


async def test_any_call_of_the_owner_renews_its_claims(call, make_workflow, make_agent, clock):
    ada, bob = await make_agent("ada"), await make_agent("bob")
    _, tasks = await make_workflow(planned("a"))
    await claim(call, tasks["a"], ada)
    for _ in range(3):
        clock.advance(minutes=10)
        await call("agent_heartbeat", {"agent_id": ada})

    assert (await claim(call, tasks["a"], bob))["already_claimed_by"] == ada


async def test_the_next_owner_is_told_what_lies_in_the_tree(call, make_workflow, make_agent, clock, repository, git):
    call.directory = str(repository)
    ada, bob = await make_agent("ada"), await make_agent("bob")
    id, tasks = await make_workflow(planned("a"))
    await call("task_update_status", {"id": tasks["a"], "status": "in_progress", "agent_id": ada})
    (repository / "first.py").write_text("x")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "the first half")
    (repository / "half.py").write_text("x")
    await settle(call)
    clock.advance(**LEASE)

    taken = await call("task_claim_next", {"agent_id": bob, "workflow_id": id})

    assert (taken["task"]["id"], taken["fence"], taken["task"]["status"]) == (tasks["a"], 2, "pending")
    assert taken["recovery"] == {
        "previous_owner": ada,
        "attempts": 1,
        "checkpoints": [],
        "workspace": None,
        "tree": str(repository),
        "uncommitted_changes": {"added": ["half.py"], "modified": [], "deleted": [], "renamed": []},
        "commits": [{"id": git(repository, "rev-parse", "HEAD"), "subject": "the first half"}],
        "failed_checks": [],
    }
    started = await call("start_task", {"task_id": tasks["a"], "agent_id": bob})
    assert "recovery" not in started
    (repository / "rest.py").write_text("x")
    done = await call(
        "complete_task", {"task_id": tasks["a"], "status": "success", "outcome": {"summary": "x"}, "agent_id": bob}
    )
    assert done["files_changed"]["added"] == ["first.py", "half.py", "rest.py"]


async def test_a_released_task_waits_for_the_next_owner_with_a_word(call, make_workflow, make_agent):
    ada, bob = await make_agent("ada"), await make_agent("bob")
    _, tasks = await make_workflow(planned("a"))
    await claim(call, tasks["a"], ada)
    with pytest.raises(NotOwner):
        await call("task_release", {"task_id": tasks["a"], "agent_id": bob})

    released = await call("task_release", {"task_id": tasks["a"], "agent_id": ada, "reason": "too hard"})
    again = await call("task_release", {"task_id": tasks["a"], "agent_id": ada})
    taken = await claim(call, tasks["a"], bob)

    assert (released, again) == ({"success": True}, {"success": False})
    assert (taken["success"], taken["fence"]) == (True, 2)
    assert [(each["type"], each["summary"]) for each in taken["recovery"]["checkpoints"]] == [("recovery", "too hard")]


async def test_an_agent_that_leaves_releases_what_it_claimed(call, make_workflow, make_agent):
    ada, bob = await make_agent("ada"), await make_agent("bob")
    id, tasks = await make_workflow(planned("a"), planned("b"))
    await claim(call, tasks["a"], ada)
    await call("start_task", {"task_id": tasks["b"], "agent_id": ada})

    await call("agent_unregister", {"id": ada})

    found = await call("task_get_available", {"agent_id": bob, "workflow_id": id})
    assert [task["id"] for task in found["tasks"]] == [tasks["a"], tasks["b"]]


async def test_a_failed_task_is_taken_again_on_purpose_but_never_handed_out(call, make_workflow, make_agent):
    ada, bob = await make_agent("ada"), await make_agent("bob")
    id, tasks = await make_workflow(planned("a"))
    await call("task_update_status", {"id": tasks["a"], "status": "in_progress", "agent_id": ada})
    await call("task_update_status", {"id": tasks["a"], "status": "failed", "error": "boom", "agent_id": ada})

    assert (await call("task_claim_next", {"agent_id": bob}))["success"] is False
    assert (await claim(call, tasks["a"], bob))["success"] is True
    assert (await call("task_get", {"id": tasks["a"]}))["status"] == "pending"
    assert (await call("workflow_progress", {"workflow_id": id}))["by_status"]["failed"] == 0


async def test_only_tasks_within_the_agents_capabilities_are_handed_out(call, make_workflow, make_agent):
    plain, able = await make_agent("ada"), await make_agent("bob", capabilities=["rust", "sql"])
    id, _ = await make_workflow(planned("r", requires=["rust", "sql"]), planned("any"))

    async def names(agent):
        found = await call("task_get_available", {"agent_id": agent, "workflow_id": id})
        return [task["name"] for task in found["tasks"]]

    assert await names(plain) == ["any"]
    assert await names(able) == ["r", "any"]
    assert (await call("task_claim_next", {"agent_id": plain}))["task"]["name"] == "any"
    assert (await call("task_claim_next", {"agent_id": plain}))["success"] is False
    assert (await call("task_claim_next", {"agent_id": able}))["task"]["name"] == "r"


async def test_a_claim_on_purpose_says_which_capabilities_are_lacking(call, make_workflow, make_agent):
    plain, able = await make_agent("ada", capabilities=["sql"]), await make_agent("bob", capabilities=["rust"])
    _, tasks = await make_workflow(planned("a", requires=["rust", "sql"]), planned("b", requires=["rust"]))

    assert "requires rust, which you do not have" in (await claim(call, tasks["a"], plain))["warnings"][0]
    assert "warnings" not in await claim(call, tasks["b"], able)
    await call("agent_update", {"id": plain, "capabilities": ["rust", "sql"]})
    assert "warnings" not in await claim(call, tasks["a"], plain)


async def test_the_limit_binds_what_is_handed_out_and_advises_a_claim(call, make_workflow, make_agent):
    agent = await make_agent()
    id, tasks = await make_workflow(planned("a"), planned("b"), planned("c"), parallel=1)
    await claim(call, tasks["a"], agent)

    assert (await call("task_claim_next", {"agent_id": agent, "workflow_id": id}))["success"] is False
    assert (await call("task_get_available", {"agent_id": agent}))["tasks"] == []
    assert (await claim(call, tasks["b"], agent))["success"] is True
    await call("workflow_set_parallelism", {"id": id, "max_parallel_tasks": 3})
    assert (await call("task_claim_next", {"agent_id": agent}))["task"]["id"] == tasks["c"]


async def test_an_abandoned_task_is_handed_out_though_its_workflow_lets_no_more_run(
    call, make_workflow, make_agent, clock
):
    ada, bob = await make_agent("ada"), await make_agent("bob")
    id, tasks = await make_workflow(planned("a"), planned("b"), parallel=1)
    await call("task_update_status", {"id": tasks["a"], "status": "in_progress", "agent_id": ada})
    await settle(call)
    assert (await call("task_claim_next", {"agent_id": bob}))["success"] is False
    clock.advance(**LEASE)

    following = await call("workflow_next_tasks", {"workflow_id": id})
    taken = await call("task_claim_next", {"agent_id": bob})

    assert ([task["name"] for task in following["tasks"]], following["recommended_count"]) == (["a", "b"], 1)
    assert (taken["task"]["id"], taken["recovery"]["previous_owner"]) == (tasks["a"], ada)
    assert (await call("task_claim_next", {"agent_id": bob}))["success"] is False


async def test_start_task_takes_over_what_its_owner_abandoned(call, make_workflow, make_agent, clock, repository):
    call.directory = str(repository)
    ada, bob = await make_agent("ada"), await make_agent("bob")
    _, tasks = await make_workflow(planned("a"))
    first = await call("start_task", {"task_id": tasks["a"], "agent_id": ada})
    await call("log_milestone", {"task_id": tasks["a"], "message": "half", "agent_id": ada})
    (repository / "half.py").write_text("x")
    with pytest.raises(NotOwner):
        await call("start_task", {"task_id": tasks["a"], "agent_id": bob})
    await settle(call)
    clock.advance(**LEASE)

    started = await call("start_task", {"task_id": tasks["a"], "agent_id": bob})

    found = await call("task_get", {"id": tasks["a"]})
    assert (started["fence"], found["assigned_agent_id"], found["attempts"]) == (2, bob, 2)
    assert "recovery" not in first
    assert started["recovery"]["previous_owner"] == ada
    assert started["recovery"]["uncommitted_changes"]["added"] == ["half.py"]
    assert [each["summary"] for each in started["recovery"]["checkpoints"]] == ["half"]


async def test_without_a_workflow_the_oldest_with_work_is_meant(call, make_workflow, make_agent):
    agent = await make_agent()
    first, _ = await make_workflow(planned("a"))
    second, _ = await make_workflow(planned("b"))

    taken = [(await call("task_claim_next", {"agent_id": agent}))["task"]["workflow_id"] for _ in range(2)]

    assert taken == [first, second]


async def test_a_task_of_a_closed_phase_is_not_handed_out(call, make_workflow, make_agent):
    agent = await make_agent()
    id, tasks = await make_workflow(planned("a"))
    phase = await call("start_phase", {"workflow_id": id, "number": 1, "name": "x"})
    await call("complete_phase", {"phase_id": phase["phase_id"], "status": "completed"})

    assert (await call("task_claim_next", {"agent_id": agent, "workflow_id": id}))["success"] is False
    with pytest.raises(InvalidState, match="phase 1"):
        await claim(call, tasks["a"], agent)


async def test_sixteen_callers_take_a_hundred_tasks_each_once(call, make_workflow, make_agent):
    id, tasks = await make_workflow(*(planned(f"t{number}") for number in range(100)), parallel=1000)
    agents = [await make_agent(f"agent{number}") for number in range(16)]

    async def work(agent):
        taken = []
        while (claimed := await call("task_claim_next", {"agent_id": agent, "workflow_id": id}))["success"]:
            taken.append(claimed["task"]["id"])
        return taken

    taken = await asyncio.gather(*map(work, agents))

    assert sorted(id for each in taken for id in each) == sorted(tasks.values())


async def test_the_limit_holds_for_callers_at_once(call, make_workflow, make_agent):
    id, _ = await make_workflow(*(planned(f"t{number}") for number in range(30)), parallel=5)
    agents = [await make_agent(f"agent{number}") for number in range(16)]

    claimed = await asyncio.gather(
        *(call("task_claim_next", {"agent_id": agent, "workflow_id": id}) for agent in agents)
    )

    assert sum(each["success"] for each in claimed) == 5


class Model:
    """The rules of a claim, as simply as they can be said."""

    LEASE = 15 * 60

    def __init__(self, tasks):
        self.now = 0.0
        self.owner = dict.fromkeys(tasks)
        self.until = dict.fromkeys(tasks, 0.0)
        self.fence = dict.fromkeys(tasks, 0)

    def claim(self, task, agent):
        if self.owner[task] not in (None, agent) and self.until[task] >= self.now:
            return False
        if self.owner[task] != agent:
            self.owner[task] = agent
            self.fence[task] += 1
        self.renew(agent)
        return True

    def release(self, task, agent):
        """Whether it was the agent's, nobody's, or another's."""
        if self.owner[task] not in (None, agent):
            return None
        had = self.owner[task] is not None
        self.owner[task] = None
        self.renew(agent)
        return had

    def renew(self, agent):
        """Any call of an agent is a sign of life."""
        for task, owner in self.owner.items():
            if owner == agent:
                self.until[task] = self.now + self.LEASE


@pytest.mark.faults
@pytest.mark.parametrize("seed", fault_cases.seeds(few=2, many=40))
async def test_claims_follow_the_model_whatever_happens_in_whatever_order(call, make_workflow, make_agent, clock, seed):
    chance = random.Random(seed)
    _, named = await make_workflow(*(planned(f"t{number}") for number in range(3)))
    tasks = list(named.values())
    agents = [await make_agent(f"agent{number}") for number in range(3)]
    model = Model(tasks)
    for _ in range(60):
        task, agent = chance.choice(tasks), chance.choice(agents)
        what = chance.choice(["claim", "claim", "release", "write", "write", "heartbeat", "wait"])
        if what == "wait":
            minutes = chance.choice([2, 6, 14, 20])  # never 15 together: at the end of a lease microseconds decide
            clock.advance(minutes=minutes)
            model.now += minutes * 60
            continue
        if what == "heartbeat":
            await call("agent_heartbeat", {"agent_id": agent})
            model.renew(agent)
        elif what == "claim":
            holder, granted = model.owner[task], model.claim(task, agent)
            answer = await claim(call, task, agent)
            assert answer["success"] is granted
            assert granted or answer["already_claimed_by"] == holder
            model.renew(agent)
        else:
            allowed = model.owner[task] in ((None, agent) if what == "release" else (agent,))
            tool, arguments = {
                "release": ("task_release", {"task_id": task, "agent_id": agent}),
                "write": ("checkpoint_add", {"task_id": task, "type": "progress", "summary": "s", "agent_id": agent}),
            }[what]
            if allowed:
                answer = await call(tool, arguments)
                if what == "release":
                    assert answer["success"] is model.release(task, agent)
            else:
                if model.owner[task] is not None:
                    tool, arguments = chance.choice(writes(task, agent, lapsed=model.until[task] < model.now))
                with pytest.raises(NotOwner) as caught:
                    await call(tool, arguments)
                assert caught.value.details["owner_id"] == model.owner[task]
            model.renew(agent)
        await settle(call)
        found = await call("task_get", {"id": task})
        assert (found["assigned_agent_id"], found["fence"]) == (model.owner[task], model.fence[task])


@pytest.mark.parametrize("way", ["release", "unregister"])
async def test_whoever_takes_a_task_that_was_given_back_learns_who_had_it(call, make_workflow, make_agent, way):
    ada, bob, eve = [await make_agent(name) for name in ("ada", "bob", "eve")]
    _, tasks = await make_workflow(planned("a"))
    await call("start_task", {"task_id": tasks["a"], "agent_id": ada})
    if way == "release":
        await call("task_release", {"task_id": tasks["a"], "agent_id": ada})
    else:
        await call("agent_unregister", {"id": ada})

    taken = await call("task_claim", {"task_id": tasks["a"], "agent_id": bob})
    await call("task_release", {"task_id": tasks["a"], "agent_id": bob})
    next_one = await call("task_claim_next", {"agent_id": eve})

    assert taken["recovery"]["previous_owner"] == ada
    assert next_one["recovery"]["previous_owner"] == bob


async def available(call, agent, *, limit, **chosen):
    """The names on each page of what the agent could claim."""
    pages, cursor = [], None
    while True:
        found = await call("task_get_available", {"agent_id": agent, "limit": limit, "cursor": cursor, **chosen})
        pages.append([task["name"] for task in found["tasks"]])
        cursor = found["next_cursor"]
        if cursor is None:
            return pages


async def test_what_can_be_claimed_is_paged_across_missions_within_their_limits(call, make_workflow, make_agent, clock):
    ada, bob = await make_agent("ada"), await make_agent("bob")
    _, tasks = await make_workflow(*(planned(name) for name in ("a1", "a2", "a3", "a4")), parallel=3)
    await call("task_update_status", {"id": tasks["a2"], "status": "in_progress", "agent_id": ada})
    await claim(call, tasks["a4"], ada)
    await settle(call)
    clock.advance(**LEASE)
    await make_workflow(planned("b1"), planned("b2"), planned("b3"), parallel=2)
    last, _ = await make_workflow(planned("c1", requires=["rust"]), planned("c2"))
    (whole,) = await available(call, bob, limit=100)

    assert whole == ["a2", "a4", "a1", "b1", "b2", "c2"]
    for limit in (1, 2, 3, 6):
        pages = await available(call, bob, limit=limit)
        assert [name for page in pages for name in page] == whole
        assert [len(page) for page in pages[:-1]] == [limit] * (len(pages) - 1)
    assert await available(call, bob, limit=1, workflow_id=last) == [["c2"]]
    assert await available(call, bob, limit=1, mission_id=last) == [["c2"]]


async def test_a_page_of_what_can_be_claimed_looks_into_no_more_missions_than_it_shows(
    call, make_workflow, make_agent, monkeypatch
):
    agent = await make_agent()
    for number in range(6):
        await make_workflow(planned(f"task {number}"))
    looked_into = []
    slots = claims.slots
    monkeypatch.setattr(claims, "slots", lambda tx, mission: looked_into.append(mission.id) or slots(tx, mission))

    first = await call("task_get_available", {"agent_id": agent, "limit": 1})
    second = await call("task_get_available", {"agent_id": agent, "limit": 1, "cursor": first["next_cursor"]})

    assert [task["name"] for task in first["tasks"] + second["tasks"]] == ["task 0", "task 1"]
    assert len(looked_into) <= 5


@pytest.mark.parametrize("cursor", ["nonsense", "ready 1 t_0000000000", "ready x {task}", "ready 1 {task}"])
async def test_a_cursor_of_another_list_of_claimable_tasks_is_refused(call, make_workflow, make_agent, cursor):
    agent = await make_agent()
    _, tasks = await make_workflow(planned("a"))
    other, _ = await make_workflow(planned("b"))

    wanted = {"agent_id": agent, "workflow_id": other, "cursor": cursor.format(task=tasks["a"])}

    with pytest.raises(InvalidInput, match="cursor"):
        await call("task_get_available", wanted)


async def test_the_next_task_is_claimed_in_the_mission_by_either_name_of_it(call, make_workflow, make_agent):
    agent = await make_agent()
    await make_workflow(planned("a"))
    second, tasks = await make_workflow(planned("b"))

    taken = await call("task_claim_next", {"agent_id": agent, "mission_id": second})

    assert taken["task"]["id"] == tasks["b"]
