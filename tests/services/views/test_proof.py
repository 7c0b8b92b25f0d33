"""What a person asks about the result of a task: what each check said, and what to look at."""

from __future__ import annotations

import pytest

from mission.domain.checks.check import parse_check
from mission.domain.errors import ChecksFailed
from mission.services.evidence import definitions
from mission.services.views import proof as views
from tests.transports.served_calls import served

SUCCESS = {"status": "success", "outcome": {"summary": "Done."}}
PASSES = {"name": "passes", "run": "echo fine"}
FAILS = {"name": "fails", "run": "echo broken; grep -q ready README.md"}


@pytest.fixture
async def call(app):
    async with served(app) as front:
        yield front


@pytest.fixture
async def start(call, repository):
    """Start a task in the repository whose mission has these checks."""

    async def started(*checks, **more):
        mission = await call("start_mission", {"name": "m", "objective": "o", "repository_path": str(repository)})
        await call("checks_set", {"scope": "mission", "id": mission["mission_id"], "checks": list(checks)})
        task = {"mission_id": mission["mission_id"], "name": "t", "goal": "g", **more}
        return (await call("start_task", task))["task_id"]

    return started


async def read(app, task_id):
    return await app.database.read(views.read, task_id=task_id)


async def test_a_check_that_has_not_run_says_so_and_can_run(app, start):
    found = await read(app, await start(PASSES))

    [line] = found.checks
    assert (line.defined.check.name, line.state, line.result) == ("passes", "not_run", None)
    assert (found.round, found.is_running, found.can_run, found.can_accept) == (None, False, True, True)


async def test_a_failed_check_comes_with_what_it_said_before_the_change(app, call, start, repository):
    task = await start(PASSES, FAILS, areas=["src"])
    (repository / "README.md").write_text("other\n")

    await call("complete_task", {"task_id": task, **SUCCESS})

    found = await read(app, task)
    passes, fails = found.checks
    assert (passes.state, passes.before) == ("passed", None)
    assert (fails.state, fails.failed_before, fails.before.state) == ("failed", True, "failed")
    assert (found.task.proof_state, found.proof.reason) == ("unproved", "a failing check also fails on the start tree")
    assert list(found.unexpected_files) == ["README.md"]
    assert (found.can_run, found.can_accept) == (False, False)


async def test_files_outside_the_areas_are_known_before_the_task_ends(app, call, start, repository):
    task = await start({"name": "gone", "run": "test -e README.md"}, areas=["src"])
    (repository / "README.md").unlink()

    with pytest.raises(ChecksFailed):
        await call("complete_task", {"task_id": task, **SUCCESS})

    found = await read(app, task)
    assert (found.task.proof_state, list(found.unexpected_files)) == ("failing", ["README.md"])
    assert [line.failed_before for line in found.checks] == [False]
    assert (found.can_run, found.can_accept) == (True, True)


async def test_a_proposed_command_is_shown_once_and_exactly_with_its_tasks(app, call, make_workflow, make_agent):
    plan = [{"name": name, "description": "d", "sequence": 1, "depends_on": []} for name in ("a", "b")]
    workflow, tasks = await make_workflow(*plan)
    agent = await make_agent("ada")
    check = parse_check({"name": "test", "run": "make  test\n# all", "env": {"FAST": "1"}}, field="check")

    def propose(tx):
        checks = {id: [check] for id in tasks.values()}
        definitions.propose(tx, mission=tx.missions.get(workflow), checks=checks, agent_id=agent)

    await app.database.write(propose)
    [item] = (await call("queue_list", {"kind": ["checks"]}))["items"]

    [proposed] = await app.database.read(views.read_proposed, item_id=item["id"])

    assert proposed.definition.check == check
    assert sorted(proposed.tasks) == ["a", "b"]
