"""The look before the first launch: what is noted, what becomes a problem, and the checks on the base."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mission.domain.runs.steps import LookBefore
from mission.git.errors import GitKilled
from mission.services.runs.lifecycle import preflight
from mission.services.runs.worktrees import merge_place
from tests.started_runs import runs as runs
from tests.started_runs import task


async def looked(runs):
    return (await runs.step(LookBefore())).preflight


async def test_a_clean_start_finds_nothing_and_checks_the_base(runs, repository, git):
    await runs.start(checks=["grep -q hello README.md", {"name": "only told", "run": "false", "required": False}])

    found = await looked(runs)

    assert (found["notes"], found["problems"], found["marks"]) == ([], [], [])
    round = await runs.settled(found["round_id"])
    assert (round.state, round.purpose, round.place, round.task_id) == ("passed", "base", "merge", None)
    assert round.tree == git(repository, "rev-parse", "HEAD^{tree}")
    assert [each["name"] for each in round.verdict["results"]] == ["grep -q hello README.md"]
    assert (await runs.run()).state == "ready"


async def test_a_red_base_is_a_failed_round(runs):
    await runs.start(checks=["false"])

    round = await runs.settled((await looked(runs))["round_id"])

    assert round.state == "failed"


async def test_the_setup_runs_before_the_checks(runs):
    await runs.start(checks=["test -f built"], setup="touch built")

    round = await runs.settled((await looked(runs))["round_id"])

    assert round.state == "passed"


async def test_a_setup_that_fails_ends_the_round_with_the_reason(runs):
    await runs.start(checks=["true"], setup="echo no network; exit 3")

    round = await runs.settled((await looked(runs))["round_id"])

    assert (round.state, "exit code 3" in round.reason) == ("error", True)


@pytest.mark.parametrize("step", [(preflight, "create_branch"), (merge_place, "check_out"), (merge_place, "run_setup")])
async def test_nobody_is_asked_about_a_command_that_was_killed(runs, monkeypatch, step):
    def killed(*_, **__):
        raise GitKilled(command="reset")

    await runs.start(checks=["true"], setup="true")
    with monkeypatch.context() as patched:
        patched.setattr(*step, killed)
        with pytest.raises(GitKilled):
            await looked(runs)

    assert (await looked(runs))["problems"] == []


async def test_final_checks_are_not_run_on_the_base(runs):
    await runs.start(checks=["true"], final_checks=["false"])

    round = await runs.settled((await looked(runs))["round_id"])

    assert round.state == "passed"


async def test_uncommitted_files_are_noted_and_not_asked_about(runs, repository):
    (repository / "README.md").write_text("mine\n")
    (repository / "new.txt").write_text("mine\n")
    await runs.start()

    found = await looked(runs)

    assert found["problems"] == []
    assert found["notes"] == ["2 uncommitted files will not be part of the run: README.md, new.txt."]
    assert (repository / "README.md").read_text() == "mine\n"


async def test_tasks_without_a_required_check_are_asked_about(runs):
    await runs.start(task("one"), task("two", checks=["true"]), checks=[])

    found = await looked(runs)

    assert (found["marks"], found["round_id"]) == (["no_checks"], None)
    assert found["problems"] == ["1 task has no required check ('one'): what agents report will be merged unproved."]


async def test_a_shallow_clone_is_asked_about(runs, call, repository, tmp_path, git):
    (repository / "more").write_text("x")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "second")
    git(tmp_path, "clone", "-q", "--depth", "1", repository.as_uri(), "shallow")
    runs.repository = tmp_path / "shallow"
    await runs.start()

    assert "shallow clone" in (await looked(runs))["problems"][0]


async def test_a_detached_head_is_asked_about(runs, repository, git):
    git(repository, "checkout", "-q", "--detach")
    await runs.start()

    assert "no branch to land on" in (await looked(runs))["problems"][0]


async def test_missing_clients_and_programs_are_named(runs):
    agents = [{"client": "codex"}, {"client": "command", "command": ["/nowhere/agent.sh"]}]
    await runs.start(agents=agents)

    found = await looked(runs)

    assert found["problems"] == [
        "codex cannot be launched: the program 'codex' is not installed or not on PATH.",
        "command cannot be launched: the program '/nowhere/agent.sh' does not exist or is not executable.",
    ]
    assert found["missing"] == ["codex", "command"]


async def test_a_limit_of_money_without_prices_is_asked_about(runs):
    await runs.start(budget={"per_task": {"usd": 1.0}})

    assert (await looked(runs))["problems"] == ["command does not report prices, so the cost limit cannot be enforced."]


async def test_too_little_disk_space_is_asked_about(runs):
    await runs.start()
    runs.context = replace(runs.context, min_free_gb=1e9)

    assert "of disk space is free" in (await looked(runs))["problems"][0]


@pytest.mark.parametrize(("slots", "expected"), [(0, 1), (2, 0)])
async def test_too_little_memory_is_asked_about_unless_slots_are_set(runs, monkeypatch, slots, expected):
    monkeypatch.setattr(preflight, "free_memory", lambda: 10_000_000)
    await runs.start()
    runs.context = replace(runs.context, agent_slots=slots)

    assert len((await looked(runs))["problems"]) == expected


def test_free_memory_is_read_where_the_system_tells_it(tmp_path):
    (tmp_path / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable:    2048 kB\n")

    assert preflight.free_memory(tmp_path / "meminfo") == 2048 * 1024
    assert preflight.free_memory(tmp_path / "nothing") is None


async def test_a_branch_that_is_missing_after_a_crash_is_made(runs, repository, git):
    answer = await runs.start()
    git(repository, "update-ref", "-d", f"refs/heads/{answer['branch']}")

    await looked(runs)

    assert git(repository, "rev-parse", answer["branch"]) == answer["base_commit"]


async def test_a_branch_that_somebody_took_is_a_problem(runs, repository, git):
    answer = await runs.start()
    other = git(repository, "commit-tree", "HEAD^{tree}", "-m", "theirs")
    git(repository, "update-ref", f"refs/heads/{answer['branch']}", other)

    found = await looked(runs)

    assert "cannot be created" in found["problems"][0]
    assert found["round_id"] is None


async def test_a_repeated_look_and_one_of_an_earlier_driver_change_nothing(runs):
    await runs.start()
    first = await looked(runs)
    assert await looked(runs) == first

    await runs.start(name="other")
    old = await runs.run()
    await runs.set(fence=old.fence + 1)
    await preflight.look_before(runs.context, old, LookBefore())
    assert (await runs.run()).preflight is None
