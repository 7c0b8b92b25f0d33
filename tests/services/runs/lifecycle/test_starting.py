"""Starting a run: from a plan or a mission, what is refused, and that nothing is written before everything is right."""

from __future__ import annotations

import pytest

from mission.domain.errors import InvalidInput, InvalidState, MissionError, NotFound
from mission.services.runs.lifecycle import starting
from tests.started_runs import AGENTS, task
from tests.started_runs import runs as runs


async def missions_of(call):
    return (await call("workflow_list"))["total"]


@pytest.fixture
async def mission(call, repository):
    """A mission with one task, in the repository."""
    made = await call(
        "workflow_create",
        {"name": "Old plan", "source_type": "prompt", "source_content": "x", "repository_path": str(repository)},
    )
    plan = {"summary": "s", "approach": "a", "tasks": [{"name": "a", "description": "d", "sequence": 1}]}
    await call("workflow_set_plan", {"id": made["id"], "plan": plan})
    return made["id"]


async def test_a_plan_becomes_a_mission_with_a_run_and_a_branch(runs, git, repository):
    answer = await runs.start(task("one"), task("two", depends_on=["one"]))

    head = git(repository, "rev-parse", "HEAD")
    assert answer == {
        "run_id": runs.id,
        "mission_id": runs.mission_id,
        "state": "ready",
        "branch": f"mission/jwt-login-{runs.id.removeprefix('run_')}",
        "base_commit": head,
        "questions": [],
    }
    assert git(repository, "rev-parse", answer["branch"]) == head
    assert git(repository, "branch", "--show-current") == "main"
    shown = await runs.get()
    assert (shown["target"], shown["tip"], shown["mission_name"]) == ("main", head, "JWT login")
    assert [each["name"] for each in shown["tasks"]] == ["one", "two"]


async def test_a_plan_file_as_text_is_read_with_its_folder(call, runs, repository):
    text = """
[mission]
name = "From a file"
checks = ["true"]
[[agents]]
client = "command"
command = ["./agent.sh"]
[[tasks]]
name = "one"
description = "do it"
"""
    given = {"plan_toml": text, "folder": str(repository), "plan_name": "night.toml", "path": "/opt/bin:/bin"}

    answer = await call("run_start", given)

    shown = await call("run_get", {"run_id": answer["run_id"]})
    assert shown["agents"][0]["command"] == [f"{repository}/agent.sh"]
    checks = await call("checks_list", {"scope": "mission", "id": answer["mission_id"]})
    assert [(each["definition"]["run"], each["path"], each["approval"]) for each in checks["checks"]] == [
        ("true", "/opt/bin:/bin", "approved")
    ]


async def test_a_problem_of_a_plan_is_named_with_its_line_and_writes_nothing(call, runs, repository):
    text = '[mission]\nname = "x"\n[[agents]]\nclient = "claud-code"\n[[tasks]]\nname = "a"\ndescription = "d"\n'

    with pytest.raises(InvalidInput, match=r"night.toml:4: .*'claud-code' is not a known client"):
        await call("run_start", {"plan_toml": text, "plan_name": "night.toml", "folder": str(repository)})

    assert await missions_of(call) == 0


async def test_a_mission_is_run_with_its_own_setup_and_review(call, runs, mission):
    await call("checks_set", {"scope": "mission", "id": mission, "checks": ["true"]})

    answer = await call("run_start", {"mission_id": mission, "agents": AGENTS, "land": True, "budget": {"usd": 5}})

    shown = await call("run_get", {"mission_id": mission})
    assert shown["run_id"] == answer["run_id"]
    assert (shown["options"]["review"], shown["options"]["land"]) == ("risk", True)
    assert shown["budget"]["usd"] == 5.0
    assert shown["budget"]["per_task"] == {"usd": None, "tokens": None, "minutes": None, "launches": None}


async def test_options_of_the_call_replace_those_of_the_plan(call, runs, repository):
    plan = runs.plan(attempts=5, land=True, budget={"usd": 3.0})

    answer = await call(
        "run_start", {"plan": plan, "folder": str(repository), "attempts": 2, "budget": {"minutes": 10}}
    )

    shown = await call("run_get", {"run_id": answer["run_id"]})
    assert (shown["options"]["attempts"], shown["options"]["land"]) == (2, True)
    assert shown["budget"]["minutes"] == 10


async def test_as_many_tasks_may_be_claimed_as_there_are_agents(call, runs, mission):
    await call("run_start", {"mission_id": mission, "agents": [{**AGENTS[0], "count": 3}]})

    assert (await call("workflow_get", {"id": mission}))["max_parallel_tasks"] == 3


async def test_a_run_applies_the_checks_of_its_repository(call, runs, mission, repository):
    await call("checks_set", {"scope": "mission", "id": mission, "checks": ["make lint"]})
    await call("checks_set", {"scope": "repository", "repository_path": str(repository), "checks": ["make test"]})
    before = await call("checks_list", {"scope": "mission", "id": mission})

    await call("run_start", {"mission_id": mission, "agents": AGENTS})

    after = await call("checks_list", {"scope": "mission", "id": mission})
    assert [each["name"] for each in before["checks"]] == ["make lint"]
    assert [(each["name"], each["origin"]) for each in after["checks"]] == [
        ("make test", "repository"),
        ("make lint", "mission"),
    ]


async def test_a_second_run_is_refused_and_names_the_first(call, runs, mission):
    first = await call("run_start", {"mission_id": mission, "agents": AGENTS})

    with pytest.raises(InvalidState, match=f"already has a run: {first['run_id']}") as refused:
        await call("run_start", {"mission_id": mission, "agents": AGENTS})

    assert refused.value.details["run_id"] == first["run_id"]
    await call("run_stop", {"run_id": first["run_id"]})
    assert (await call("run_start", {"mission_id": mission, "agents": AGENTS}))["run_id"] != first["run_id"]


async def test_a_mission_without_tasks_or_repository_is_refused_with_what_to_do(call, runs, repository, tmp_path):
    empty = await call(
        "workflow_create",
        {"name": "Empty", "source_type": "prompt", "source_content": "x", "repository_path": str(repository)},
    )
    with pytest.raises(InvalidState, match="has no tasks") as refused:
        await call("run_start", {"mission_id": empty["id"], "agents": AGENTS})
    assert "Add tasks" in (refused.value.hint or "")

    homeless = await call("workflow_create", {"name": "No home", "source_type": "prompt", "source_content": "x"})
    plan = {"summary": "s", "approach": "a", "tasks": [{"name": "a", "description": "d", "sequence": 1}]}
    await call("workflow_set_plan", {"id": homeless["id"], "plan": plan})
    with pytest.raises(InvalidState, match="has no repository"):
        await call("run_start", {"mission_id": homeless["id"], "agents": AGENTS})


async def test_a_mission_that_has_ended_is_refused(call, runs, mission):
    await call("complete_mission", {"mission_id": mission, "status": "failed", "summary": "no"})

    with pytest.raises(InvalidState, match="is failed and cannot be run"):
        await call("run_start", {"mission_id": mission, "agents": AGENTS})


async def test_a_folder_without_git_is_refused_and_init_makes_a_repository(call, runs, tmp_path, git):
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "a.txt").write_text("a\n")
    given = {"plan": runs.plan(), "folder": str(folder)}
    with pytest.raises(InvalidState, match="is not a git repository") as refused:
        await call("run_start", given)
    assert "--init" in (refused.value.hint or "")
    assert str(tmp_path) not in refused.value.message
    assert await missions_of(call) == 0

    answer = await call("run_start", {**given, "init": True})

    assert git(folder, "rev-parse", "HEAD") == answer["base_commit"]
    assert git(folder, "ls-tree", "--name-only", "HEAD") == "a.txt"


async def test_a_repository_without_a_commit_is_refused(call, runs, tmp_path, git):
    folder = tmp_path / "fresh"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")

    with pytest.raises(InvalidState, match="has no commit yet"):
        await call("run_start", {"plan": runs.plan(), "folder": str(folder)})


async def test_a_branch_called_mission_is_in_the_way(call, runs, repository, git):
    git(repository, "branch", "mission")

    with pytest.raises(MissionError, match="mission"):
        await runs.start()

    assert await missions_of(call) == 0


async def test_a_run_starts_from_the_target_that_is_named(runs, repository, git):
    other = git(repository, "commit-tree", "HEAD^{tree}", "-m", "elsewhere")
    git(repository, "branch", "release", other)

    answer = await runs.start(target="release")

    assert answer["base_commit"] == other
    assert (await runs.get())["target"] == "release"


async def test_a_detached_head_has_no_target(runs, repository, git):
    git(repository, "checkout", "-q", "--detach")

    await runs.start()

    assert (await runs.get())["target"] is None


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"agents": [{"client": "nobody"}]}, "agents.*'nobody' is not a known client"),
        ({"agents": [{"client": "command"}]}, "needs the program to run"),
        ({"agents": [{"client": "codex", "command": ["x"]}]}, "only the client 'command' has one"),
        ({"agents": []}, "agents"),
        ({"agents": [{"client": "codex", "count": 0}]}, "count"),
        ({"max_parallel": -1}, "max_parallel"),
        ({"attempts": 0}, "attempts"),
        ({"budget": {"usd": -1}}, "usd"),
        ({"budget": {"launches": 0}}, "launches"),
        ({"retry_minutes": [-1]}, "retry_minutes"),
        ({"review": "agent"}, "not available yet"),
        ({"review": "sometimes"}, "review"),
        ({"target": "nowhere"}, "no branch 'nowhere'"),
        ({"target": "a..b"}, "branch"),
        ({"regenerate": {"[": "x"}}, "regenerate"),
    ],
)
async def test_wrong_options_are_named(call, runs, mission, wrong, words):
    with pytest.raises(InvalidInput, match=words):
        await call("run_start", {"mission_id": mission, "agents": AGENTS, **wrong})

    assert (await call("run_list"))["runs"] == []


async def test_exactly_one_thing_to_run_is_named(call, runs, mission):
    with pytest.raises(InvalidInput, match="exactly one of"):
        await call("run_start", {"agents": AGENTS})
    with pytest.raises(InvalidInput, match="exactly one of"):
        await call("run_start", {"mission_id": mission, "plan": runs.plan()})
    with pytest.raises(InvalidInput, match="folder of the plan is missing"):
        await call("run_start", {"plan": runs.plan()})
    with pytest.raises(NotFound):
        await call("run_start", {"mission_id": "m_0000000000", "agents": AGENTS})


async def test_a_task_for_a_client_that_the_run_does_not_have_is_refused(call, runs):
    with pytest.raises(InvalidInput, match="only for codex") as refused:
        await runs.start(task("one", agent="codex"))

    assert refused.value.details["clients"] == ["codex"]
    assert await missions_of(call) == 0


async def test_a_branch_that_cannot_be_made_now_does_not_lose_the_run(runs, monkeypatch):
    """As if the process died between the row and the branch."""

    def fail(*_, **__):
        raise InvalidState("git is gone")

    monkeypatch.setattr(starting, "create_branch", fail)

    answer = await runs.start()

    assert (await runs.run()).branch == answer["branch"]
