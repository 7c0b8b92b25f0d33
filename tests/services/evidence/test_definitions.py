"""Defined checks: which take effect, and what an agent may propose."""

from __future__ import annotations

import pytest

from mission.domain.errors import InvalidInput, NotFound, PermissionDenied
from tests.checked_tasks import checked as checked
from tests.checked_tasks import signals as signals
from tests.tools.conftest import planned


async def propose(checked, task, agent, *checks, **more):
    """Add checks to a task, as an agent."""
    return await checked.call(
        "checks_set", {"scope": "task", "id": task, "checks": list(checks), "agent_id": agent, **more}
    )


async def plan(checked, mission, *, agent=None, **task):
    """Plan a mission with one task; return its id."""
    tasks = [planned("t", **task)]
    wanted = {"id": mission, "plan": {"summary": "s", "approach": "a", "tasks": tasks}}
    await checked.call("workflow_set_plan", wanted, agent=agent)
    return (await checked.call("workflow_get", {"id": mission, "include_tasks": True}))["tasks"][0]["id"]


async def in_effect(checked, task):
    found = await checked.call("checks_list", {"scope": "task", "id": task})
    return [(each["name"], each["origin"], each["approval"]) for each in found["checks"]]


async def test_checks_of_repository_mission_and_task_take_effect_with_their_origin(checked, repository):
    await checked.call("checks_set", {"scope": "repository", "repository_path": str(repository), "checks": ["make r"]})
    await checked.check("make m", {"name": "same", "run": "mission"})
    task = await checked.start()
    await checked.call(
        "checks_set", {"scope": "task", "id": task, "checks": ["make t", {"name": "same", "run": "task"}]}
    )

    assert await in_effect(checked, task) == [
        ("make m", "mission", "approved"),
        ("same", "mission", "approved"),
        ("make t", "task", "approved"),
    ]


async def test_a_mission_takes_over_the_checks_of_its_repository_only_if_it_asks(checked, repository):
    await checked.call("checks_set", {"scope": "repository", "repository_path": str(repository), "checks": ["make r"]})
    task = await checked.start()
    assert await in_effect(checked, task) == []

    found = await checked.call("checks_set", {"scope": "mission", "id": checked.id, "checks": "repository"})

    assert found["uses_repository"] is True
    assert await in_effect(checked, task) == [("make r", "repository", "approved")]


async def test_a_mission_without_a_repository_has_no_checks_to_take_over(call):
    made = await call("start_mission", {"name": "N", "objective": "o"})

    with pytest.raises(InvalidInput, match="has no repository"):
        await call("checks_set", {"scope": "mission", "id": made["mission_id"], "checks": "repository"})


async def test_final_checks_are_kept_for_the_integrated_result(checked, signals):
    found = await checked.check(final_checks=[{"name": "all", "run": signals.note("runs")}])
    task = await checked.started()

    done = await checked.report(task)

    assert [each["name"] for each in found["final_checks"]] == ["all"]
    assert (done["evidence"]["state"], signals.notes("runs")) == ("unproved", [])


async def test_a_command_of_an_agent_waits_for_a_person(checked, make_agent):
    ada = await make_agent("ada")
    task = await checked.start(agent_id=ada)

    await propose(checked, task, ada, "make lint", {"name": "docs", "changed": ["docs/**"]})

    assert await in_effect(checked, task) == [("make lint", "task", "pending"), ("docs", "task", "approved")]
    (item,) = await checked.items("checks")
    assert (item["subject"], item["task_id"]) == ("Allow 1 command as a check for 't'?", task)
    assert "make lint" in item["body"]


async def test_a_person_sees_the_variables_of_a_command_they_approve(checked, make_agent):
    ada = await make_agent("ada")
    task = await checked.start(agent_id=ada)

    await propose(checked, task, ada, {"run": "make lint", "env": {"PATH": "/tmp/my own"}})

    (item,) = await checked.items("checks")
    assert "PATH='/tmp/my own' make lint" in item["body"]


async def test_an_approved_text_with_other_variables_is_asked_about_again(checked, make_agent):
    ada = await make_agent("ada")
    await checked.check("make lint")
    task = await checked.start(agent_id=ada)

    await propose(
        checked,
        task,
        ada,
        {"name": "same", "run": "make lint"},
        {"name": "other", "run": "make lint", "env": {"LD_PRELOAD": "/tmp/x.so"}},
    )

    assert (await in_effect(checked, task))[1:] == [("same", "task", "approved"), ("other", "task", "pending")]


async def test_an_agent_does_not_choose_the_path_of_an_approved_command(checked, make_agent):
    ada = await make_agent("ada")
    await checked.check("make lint", path="/usr/bin")
    task = await checked.start(agent_id=ada)

    await propose(checked, task, ada, {"name": "mine", "run": "make lint"}, path="/tmp/evil")

    paths = await checked.read(lambda tx: {each.check.name: each.path for each in tx.checks.of("task", task)})
    assert paths == {"mine": None}


async def test_a_command_that_still_waits_does_not_approve_another_proposal_of_it(checked, make_agent):
    ada = await make_agent("ada", role="coordinator")
    new = {"name": "W", "source_type": "prompt", "source_content": "x", "checks": ["touch /here"]}
    mission = (await checked.call("workflow_create", new, agent=ada))["id"]

    task = await plan(checked, mission, agent=ada, checks=[{"name": "other", "run": "touch /here"}])

    assert {approval for _, _, approval in await in_effect(checked, task)} == {"pending"}


async def test_the_commands_of_a_template_that_an_agent_applies_wait_for_a_person(checked, make_agent):
    ada = await make_agent("ada", role="coordinator")
    made = await checked.call(
        "template_create", {"name": "T", "template": {"tasks": [planned("t", checks=["touch /here"])]}}
    )
    wanted = {"template_id": made["id"], "workflow_name": "W", "variables": {}}

    mission = (await checked.call("template_apply", wanted, agent=ada))["workflow_id"]

    task = (await checked.call("workflow_get", {"id": mission, "include_tasks": True}))["tasks"][0]["id"]
    assert await in_effect(checked, task) == [("touch /here", "task", "pending")]


async def test_the_commands_of_added_tasks_wait_for_a_person(checked, make_agent):
    ada = await make_agent("ada", role="coordinator")
    new = {"name": "W", "source_type": "prompt", "source_content": "x"}
    mission = (await checked.call("workflow_create", new))["id"]
    await plan(checked, mission)

    added = {"id": mission, "tasks": [planned("more", checks=["touch /here"])]}
    await checked.call("workflow_add_tasks", added, agent=ada)

    found = await checked.call("workflow_get", {"id": mission, "include_tasks": True})
    task = next(each["id"] for each in found["tasks"] if each["name"] == "more")
    assert await in_effect(checked, task) == [("touch /here", "task", "pending")]


@pytest.mark.parametrize("name", ["unit", "pending"])
async def test_an_agent_does_not_replace_a_check_that_is_in_effect(checked, make_agent, name):
    ada = await make_agent("ada")
    await checked.check({"name": "unit", "run": "make test"})
    task = await checked.start(agent_id=ada)
    await propose(checked, task, ada, {"name": "pending", "run": "make lint"})

    with pytest.raises(InvalidInput, match=f"'{name}' is already in effect"):
        await propose(checked, task, ada, {"name": name, "run": "true"})


async def test_a_plan_does_not_replace_the_checks_of_its_mission(checked, make_agent):
    ada = await make_agent("ada", role="coordinator")
    new = {"name": "W", "source_type": "prompt", "source_content": "x", "checks": ["make test"]}
    mission = (await checked.call("workflow_create", new))["id"]

    with pytest.raises(InvalidInput, match="'make test' is already in effect"):
        await plan(checked, mission, agent=ada, checks=[{"name": "make test", "run": "true"}])


async def test_agents_add_no_more_checks_than_a_task_can_have(checked, make_agent):
    ada = await make_agent("ada")
    task = await checked.start(agent_id=ada)
    globs = [{"name": f"g{number}", "changed": ["**"]} for number in range(100)]
    await propose(checked, task, ada, *globs)

    with pytest.raises(InvalidInput, match="limit 100"):
        await propose(checked, task, ada, {"name": "one more", "changed": ["**"]})


@pytest.mark.parametrize("scope", ["mission", "repository"])
async def test_only_the_operator_sets_checks_for_more_than_a_task(checked, make_agent, scope):
    ada = await make_agent("ada")
    repository = await checked.read(lambda tx: tx.missions.get(checked.id).repository_id)
    id = {"mission": checked.id, "repository": repository}[scope]

    with pytest.raises(PermissionDenied):
        await checked.call("checks_set", {"scope": scope, "id": id, "checks": ["true"], "agent_id": ada})

    assert (await checked.call("checks_list", {"scope": scope, "id": id}))["checks"] == []


async def test_checks_of_what_does_not_exist_are_refused(checked):
    for scope in ("repository", "mission", "task"):
        with pytest.raises(NotFound):
            await checked.call("checks_set", {"scope": scope, "id": "t_aaaaaaaaaa", "checks": ["true"]})


async def test_a_new_plan_drops_the_checks_of_the_tasks_it_replaces(checked, make_workflow):
    id, tasks = await make_workflow(planned("a", checks=["make a"]))
    plan = {"summary": "s", "approach": "a", "tasks": [planned("b")]}

    await checked.call("workflow_set_plan", {"id": id, "plan": plan})

    assert await checked.read(lambda tx: tx.checks.of("task", tasks["a"])) == []


async def test_the_checks_of_a_round_are_those_at_the_time_of_the_report(checked, signals):
    await checked.check({"name": "slow", "run": signals.pause("slow")})
    task = await checked.started()
    checked.wait_at_most(0.05)
    await checked.report(task)
    await checked.check("false")
    await signals.reached("slow")
    await signals.let_through("slow")

    await checked.until_status(task, "completed")

    assert [each["name"] for each in (await checked.row(task)).proof["checks"]] == ["slow"]


async def test_a_proposal_that_is_too_long_to_be_read_is_refused(checked, make_agent):
    """A person approves the exact text, so all of it is shown."""
    ada = await make_agent("ada")
    task = await checked.start(agent_id=ada)
    commands = [{"name": f"c{number}", "run": f"true {'x' * 9_000} {number}"} for number in range(3)]

    with pytest.raises(InvalidInput, match="limit 20,000"):
        await propose(checked, task, ada, *commands)

    assert (await in_effect(checked, task), await checked.items()) == ([], [])
