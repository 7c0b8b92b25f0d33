"""A worktree for each claimed task of a workflow that wants it so."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
import textwrap

import pytest

from mission.app import App
from mission.domain.errors import InvalidState
from mission.gateway.caller import Caller
from tests.fake_executions import FakeExecutions
from tests.tools.conftest import planned


async def claim(call, task, agent):
    return await call("task_claim", {"task_id": task, "agent_id": agent})


@pytest.fixture
def make_parallel(make_workflow, repository):
    async def make(*tasks, **more):
        return await make_workflow(*tasks, repository_path=str(repository), auto_create_workspaces=True, **more)

    return make


async def test_each_claimed_task_has_its_own_worktree_and_keeps_it(
    call, make_parallel, make_agent, repository, git, settings
):
    (repository / "local.env").write_text("x")
    ada, bob = await make_agent("ada"), await make_agent("bob")
    id, tasks = await make_parallel(
        planned("Add a login!"), planned("b"), workspace_setup="touch ready", workspace_copy=["local.env"]
    )

    first = await claim(call, tasks["Add a login!"], ada)
    again = await claim(call, tasks["Add a login!"], ada)
    other = await call("task_claim_next", {"workflow_id": id, "agent_id": bob})

    workspace = first["workspace"]
    assert again["workspace"] == workspace
    assert workspace["branch"] == f"mission/add-a-login-{tasks['Add a login!']}"
    assert (workspace["base_branch"], workspace["task_ids"]) == ("main", [tasks["Add a login!"]])
    assert workspace["path"].startswith(str(settings.home / "worktrees"))
    assert other["task"]["workspace_id"] == other["workspace"]["id"] != workspace["id"]
    for each in (workspace, other["workspace"]):
        assert git(each["path"], "status", "--porcelain") == "?? local.env\n?? ready"
    started = await call("start_task", {"task_id": tasks["b"], "agent_id": bob}, directory=str(repository))
    assert started["repository_path"] == other["workspace"]["path"]
    assert len((await call("workspace_list", {"workflow_id": id}))["workspaces"]) == 2


async def test_a_worktree_that_cannot_be_made_leaves_the_task_unclaimed_and_nothing_behind(
    call, make_parallel, make_agent, repository, git, settings
):
    agent = await make_agent()
    id, tasks = await make_parallel(planned("a"), workspace_setup="echo no luck; exit 1")

    for tool, arguments in [("task_claim", {"task_id": tasks["a"]}), ("task_claim_next", {"workflow_id": id})]:
        with pytest.raises(InvalidState, match="no luck"):
            await call(tool, arguments | {"agent_id": agent})

    assert (await call("task_get", {"id": tasks["a"]}))["assigned_agent_id"] is None
    assert git(repository, "branch", "--format=%(refname:short)") == "main"
    assert len(git(repository, "worktree", "list").splitlines()) == 1
    assert list((settings.home / "worktrees").glob("repository-*/*")) == []
    await call("workflow_set_parallelism", {"id": id, "max_parallel_tasks": 2, "workspace_setup": "true"})
    assert (await claim(call, tasks["a"], agent))["success"] is True


async def test_a_workflow_of_one_task_at_a_time_or_without_git_goes_on_where_it_is(
    call, make_parallel, make_workflow, make_agent
):
    agent = await make_agent()
    _, sequential = await make_parallel(planned("a"), parallel=1)
    _, nowhere = await make_workflow(planned("a"), auto_create_workspaces=True)

    assert "workspace" not in await claim(call, sequential["a"], agent)
    claimed = await claim(call, nowhere["a"], agent)
    assert (claimed["success"], "workspace" in claimed) == (True, False)
    assert "no git repository" in claimed["warnings"][0]


async def test_work_that_a_task_builds_on_and_that_is_not_merged_is_named(call, make_parallel, make_agent, git):
    agent = await make_agent()
    _, tasks = await make_parallel(planned("a"), planned("b", after=["a"]))
    first = (await claim(call, tasks["a"], agent))["workspace"]
    git(first["path"], "commit", "-q", "--allow-empty", "-m", "work")
    for status in ("in_progress", "completed"):
        moved = {"id": tasks["a"], "status": status, "outcome": "x", "agent_id": agent}
        await call("task_update_status", moved)

    claimed = await claim(call, tasks["b"], agent)

    assert claimed["warnings"] == [
        f"{claimed['workspace']['branch']} lacks the work of task {tasks['a']} (branch {first['branch']}): "
        "merge it first"
    ]


async def test_a_lost_folder_is_made_again_and_an_abandoned_one_replaced(call, make_parallel, make_agent, git):
    ada, bob = await make_agent("ada"), await make_agent("bob")
    _, tasks = await make_parallel(planned("a"))
    first = (await claim(call, tasks["a"], ada))["workspace"]
    path = first["path"]
    git(path, "commit", "-q", "--allow-empty", "-m", "work")
    shutil.rmtree(path)

    made_again = (await claim(call, tasks["a"], ada))["workspace"]
    work = git(path, "log", "-1", "--format=%s")
    await call("task_release", {"task_id": tasks["a"], "agent_id": ada})
    await call("workspace_update", {"id": first["id"], "status": "abandoned"})
    replaced = await claim(call, tasks["a"], bob)

    assert (made_again["id"], work) == (first["id"], "work")
    assert replaced["workspace"]["branch"] == f"{first['branch']}-2"
    assert replaced["recovery"]["workspace"]["id"] == first["id"]


async def test_agents_that_ask_at_once_get_different_worktrees(call, make_parallel, make_agent):
    agents = [await make_agent(f"agent{number}") for number in range(5)]
    id, _ = await make_parallel(*(planned(f"t{number}") for number in range(4)))

    taken = await asyncio.gather(*(call("task_claim_next", {"workflow_id": id, "agent_id": agent}) for agent in agents))

    assert sorted(each["success"] for each in taken) == [False, True, True, True, True]
    assert len({each["workspace"]["path"] for each in taken if each["success"]}) == 4


async def test_a_launched_agent_works_in_the_worktree_of_its_task(call, make_parallel, app, repository, git):
    _, tasks = await make_parallel(planned("a"))

    created = await FakeExecutions(app, call).launch(tasks["a"])

    (row,) = (await call("workspace_list", {}))["workspaces"]
    assert created.execution.directory == created.task.tree == row["path"]
    assert row["task_ids"] == [tasks["a"]]
    assert git(row["path"], "branch", "--show-current") == row["branch"]


async def test_a_repository_of_another_host_is_named(call, make_parallel, make_agent, app):
    agent = await make_agent()
    _, tasks = await make_parallel(planned("a"))
    app.trees.host_id = "elsewhere"

    with pytest.raises(InvalidState, match="on host test-host"):
        await claim(call, tasks["a"], agent)


CRASH = textwrap.dedent(
    """
    import asyncio, os, signal, sys
    from pathlib import Path
    from mission.app import App
    from mission.gateway.caller import Caller
    from mission.services.tasks import claims
    from mission.settings import Settings

    async def main(home, task, agent, when):
        app = App(Settings(home=Path(home), host_id="test-host"), role="a claimer")
        if when == "before the claim is written":
            claims.claim_prepared = lambda tx, **_: os.kill(os.getpid(), signal.SIGKILL)
        async with app.running(periodic=False):
            await app.gateway("task_claim", {"task_id": task, "agent_id": agent}, Caller(transport="test"))

    asyncio.run(main(*sys.argv[1:]))
    """
)


@pytest.mark.parametrize("when", ["while the worktree is made", "before the claim is written"])
async def test_a_crash_leaves_a_worktree_that_the_next_claim_uses_or_makes_anew(
    sqlite_settings, repository, git, tmp_path, when
):
    crashed = tmp_path / "crashed"
    setup = f"test -e {crashed} || {{ touch {crashed} half; kill -9 $PPID; }}; touch whole"
    app = App(sqlite_settings, role="a test")
    async with app.running(periodic=False):
        agent, id, task = await _prepared(app, repository, setup if when.startswith("while") else "touch whole")
    _crash(sqlite_settings.home, task, agent, when)

    app = App(sqlite_settings, role="a test")
    async with app.running(periodic=False):
        claimed = await app.gateway("task_claim", {"task_id": task, "agent_id": agent}, Caller(transport="test"))
        listed = await app.gateway("workspace_list", {"workflow_id": id}, Caller(transport="test"))

    path = claimed["workspace"]["path"]
    assert claimed["success"] is True
    assert [each["path"] for each in listed["workspaces"]] == [path]
    assert git(path, "status", "--porcelain") == "?? whole"
    assert len(git(repository, "worktree", "list").splitlines()) == 2
    assert len(git(repository, "branch").splitlines()) == 2


def _crash(home, *arguments):
    """A process that claims and is killed on the way."""
    ended = subprocess.run([sys.executable, "-c", CRASH, str(home), *arguments], capture_output=True, check=False)
    assert ended.returncode == -9, ended.stderr


async def _prepared(app, repository, setup):
    async def call(tool, **arguments):
        return await app.gateway(tool, arguments, Caller(transport="test"))

    agent = (await call("agent_register", name="ada", runtime="custom"))["id"]
    made = await call(
        "workflow_create",
        name="W",
        source_type="prompt",
        source_content="x",
        repository_path=str(repository),
        max_parallel_tasks=2,
        auto_create_workspaces=True,
        workspace_setup=setup,
    )
    plan = {"summary": "s", "approach": "a", "tasks": [planned("a")]}
    await call("workflow_set_plan", id=made["id"], plan=plan)
    found = await call("workflow_get", id=made["id"], include_tasks=True)
    return agent, made["id"], found["tasks"][0]["id"]
