"""Where a check runs: the agent's tree or a rebuilt start tree, with its slot, and what it leaves behind."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import pytest

from mission.app import App
from tests.checked_tasks import CheckedMission
from tests.checked_tasks import checked as checked
from tests.checked_tasks import signals as signals


@pytest.fixture
async def gating(settings, clock, repository, call):
    """The same mission control, in which a failure that happened before still gates."""
    app = App(replace(settings, failed_before="gate"), role="a test", clock=clock)
    async with app.running(periodic=False):
        there = type(call)(app)
        made = await there("start_mission", {"name": "M", "objective": "o", "repository_path": str(repository)})
        yield CheckedMission(there, repository, made["mission_id"])


async def test_a_failure_that_happened_before_lets_the_task_through_unproved(checked):
    await checked.check({"name": "old", "run": "exit 1"}, "test -f src/new.py")
    task = await checked.started()

    done = await checked.report(task)

    assert (done["status"], done["evidence"]["state"]) == ("success", "unproved")
    assert "also fails on the start tree" in done["evidence"]["reason"]
    (old, _) = (await checked.row(task)).proof["checks"]
    assert (old["state"], old["failed_before"]) == ("failed", True)
    roles = [(row.name, str(row.role), str(row.state)) for row in await checked.evidence(task)]
    assert ("old", "start", "failed") in roles


async def test_a_failure_that_happened_before_gates_if_the_setting_says_so(gating):
    await gating.check({"name": "old", "run": "exit 1"})
    task = await gating.started()

    error = await gating.refused(task)

    assert (error["code"], error["details"]["checks"][0]["failed_before_too"]) == ("CHECKS_FAILED", True)


async def test_the_start_tree_is_the_working_tree_at_the_start_and_not_head(checked):
    """What was dirty before the task counts as before, and a check reads it there."""
    checked.write("README.md", "broken before\n")
    await checked.check({"name": "readme", "run": "grep -q hello README.md"})
    task = await checked.started()

    done = await checked.report(task)

    assert done["evidence"]["state"] == "unproved"


async def test_a_failure_of_the_task_itself_gates(checked):
    await checked.check({"name": "readme", "run": "grep -q hello README.md"})
    task = await checked.started()
    checked.write("README.md", "broken by the task\n")

    error = await checked.refused(task)

    assert error["details"]["checks"][0]["failed_before_too"] is None
    assert [str(row.state) for row in await checked.evidence(task) if row.role == "start"] == ["passed"]


async def test_a_start_tree_on_which_the_check_cannot_run_excuses_nothing(checked, repository):
    """Otherwise a missing interpreter would excuse every failure."""
    checked.write("tool", "#!/bin/sh\nexit 1\n")
    await checked.check({"name": "unit", "run": "test -f src/new.py && exit 1; no-such-command-here"})
    task = await checked.started()

    error = await checked.refused(task)

    assert (error["code"], error["details"]["checks"][0]["failed_before_too"]) == ("CHECKS_FAILED", None)
    assert [str(row.state) for row in await checked.evidence(task) if row.role == "start"] == ["error", "error"]


async def test_a_start_tree_that_cannot_be_rebuilt_excuses_nothing(checked, tmp_path):
    """Contents of plain folders are not kept."""
    folder = tmp_path / "plain"
    (folder / "src").mkdir(parents=True)
    made = await checked.call("start_mission", {"name": "P", "objective": "o", "repository_path": str(folder)})
    plain = CheckedMission(checked.call, folder, made["mission_id"])
    await plain.check({"name": "unit", "run": "exit 1"})
    task = await plain.started()

    error = await plain.refused(task)

    assert (error["code"], error["details"]["checks"][0]["failed_before_too"]) == ("CHECKS_FAILED", None)
    (round,) = await plain.rounds(task)
    assert "not in a git repository" in round.start_unknown


async def test_a_plain_folder_is_proved_by_the_digest_of_its_content(checked, tmp_path):
    folder = tmp_path / "plain"
    (folder / "src").mkdir(parents=True)
    made = await checked.call("start_mission", {"name": "P", "objective": "o", "repository_path": str(folder)})
    plain = CheckedMission(checked.call, folder, made["mission_id"])
    await plain.check("test -f src/new.py")
    task = await plain.started()
    first = await plain.call("task_checks", {"task_id": task, "run": True})
    (folder / "src" / "new.py").touch()

    done = await plain.report(task)

    assert (done["evidence"]["state"], done["evidence"]["tree"]) == ("proved", first["tree"])


async def test_ignored_files_are_there_on_the_start_tree(checked, repository, git):
    (repository / ".gitignore").write_text("node_modules\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "ignore")
    checked.write("node_modules/tool", "exit 1\n")
    await checked.check({"name": "unit", "run": "test -f src/new.py && exit 1; sh node_modules/tool"})
    task = await checked.started()

    assert (await checked.report(task))["evidence"]["state"] == "unproved"


async def test_red_then_green_proves_that_a_new_test_tests_the_change(checked):
    await checked.check({"name": "unit", "run": "sh tests/t.sh", "before": "fail", "tests": ["tests/**"]})
    task = await checked.start()
    checked.write("tests/t.sh", "grep -q better src/app.py\n")
    checked.write("src/app.py", "better\n")

    done = await checked.report(task)

    assert done["evidence"]["state"] == "proved"
    rows = await checked.evidence(task)
    assert {(str(row.role), str(row.state)) for row in rows} == {("result", "passed"), ("red", "failed")}
    assert len({row.tree for row in rows}) == 2
    assert None not in {row.tree for row in rows}


async def test_a_test_that_passes_without_the_change_is_a_failure(checked):
    await checked.check({"name": "unit", "run": "sh tests/t.sh", "before": "fail", "tests": ["tests/**"]})
    task = await checked.start()
    checked.write("tests/t.sh", "exit 0\n")
    checked.write("src/app.py", "better\n")

    error = await checked.refused(task)

    assert error["code"] == "CHECKS_FAILED"
    assert "passes without your change" in error["details"]["checks"][0]["green_before"]
    assert {(str(row.role), str(row.state)) for row in await checked.evidence(task)} == {
        ("result", "passed"),
        ("red", "passed"),
    }


async def test_red_that_cannot_run_is_an_error_and_proves_nothing(checked):
    run = "test -f src/made.py || exit 127; sh tests/t.sh"
    await checked.check({"name": "unit", "run": run, "before": "fail", "tests": ["tests/**"]})
    task = await checked.start()
    checked.write("tests/t.sh", "exit 0\n")
    checked.write("src/made.py", "x\n")

    assert (await checked.refused(task))["code"] == "CHECKS_ERROR"


async def test_a_new_process_leaves_a_start_tree_alone_in_which_a_check_runs(checked, signals, settings, clock):
    """Rebuilding it would take the files away from the command, and its failure would excuse the task's."""
    command = f"test -f src/new.py && exit 1; {signals.pause('start')}; test -f README.md"
    await checked.check({"name": "unit", "run": command})
    task = await checked.started()
    checked.wait_at_most(0.05)
    await checked.report(task)
    await signals.reached("start")
    await checked.call.app.checker.close()
    await checked.call.app.check_runner.leave()
    second = App(settings, role="a test", clock=clock)
    async with second.running(periodic=True):

        async def adopted():
            (row,) = [each for each in await checked.evidence(task) if each.role == "start"]
            return row.id in second.check_runner._ends

        await checked.until(adopted)
        await signals.let_through("start")
        await checked.until_status(task, "in_progress")

    assert (await checked.row(task)).proof_state == "failing"
    starts = [row for row in await checked.evidence(task) if row.role == "start"]
    assert [(str(row.state), row.exit_code) for row in starts] == [("passed", 0)]
    assert starts[0].tree is not None


async def test_start_trees_are_removed_when_they_are_no_longer_needed(checked, settings):
    await checked.check("exit 1")
    await checked.report(await checked.started())
    trees = settings.snapshots_path / "start-trees"

    async def empty():
        return [each.name for each in trees.iterdir() if each.name != ".lock"] == []

    await checked.until(empty)


async def test_untracked_files_that_a_check_leaves_behind_are_not_the_tasks(checked, repository):
    await checked.check(
        {"name": "build", "run": "mkdir -p out && echo built > out/result; date > stamp", "reuse": False}
    )
    task = await checked.started()

    done = await checked.report(task)

    assert done["evidence"]["state"] == "proved"
    assert done["files_changed"]["added"] == ["src/new.py"]
    assert (repository / "out" / "result").exists()


async def test_files_left_by_an_earlier_check_do_not_change_the_tree(checked, signals):
    command = f"{signals.note('runs')}; mkdir -p out; echo built > out/result"
    await checked.check({"name": "build", "run": command})
    task = await checked.started()
    await checked.call("task_checks", {"task_id": task, "run": True})

    done = await checked.report(task)

    assert len(signals.notes("runs")) == 1
    assert (done["evidence"]["state"], done["files_changed"]["added"]) == ("proved", ["src/new.py"])


async def test_a_left_file_that_the_agent_changes_is_the_tasks(checked):
    await checked.check({"name": "build", "run": "test -f out || echo built > out"})
    task = await checked.started()
    await checked.call("task_checks", {"task_id": task, "run": True})
    checked.write("out", "by hand\n")

    done = await checked.report(task)

    assert done["files_changed"]["added"] == ["out", "src/new.py"]


async def test_a_check_that_changes_a_tracked_file_is_void(checked):
    await checked.check({"name": "format", "run": "echo more >> README.md"})
    task = await checked.started()

    error = await checked.refused(task)

    assert (error["code"], error["details"]["files"]) == ("CHECKS_VOID", ["README.md"])


async def test_checks_of_one_worktree_share_slot_ports_and_name(checked, signals, tmp_path, git):
    other_tree = tmp_path / "other"
    git(checked.repository, "worktree", "add", "-q", str(other_tree))
    made = await checked.call("start_mission", {"name": "N", "objective": "o", "repository_path": str(other_tree)})
    other = CheckedMission(checked.call, other_tree, made["mission_id"])
    words = '{\\"slot\\":\\"$MISSION_SLOT\\",\\"port\\":\\"$MISSION_PORT_BASE\\",\\"name\\":\\"$MISSION_NAME\\"}'
    for mission, names in ((checked, ("a", "b")), (other, ("c",))):
        await mission.check(*({"name": name, "run": signals.note(name, words)} for name in names))
        await mission.report(await mission.started())

    a, b, c = (json.loads(signals.notes(name)[0]) for name in "abc")

    assert a == b
    assert all(a[key] != c[key] for key in ("slot", "port", "name"))


async def test_a_check_gets_its_own_environment_and_no_tokens(checked, signals, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("MISSION_TOKEN", "mt_secret")
    await checked.check(
        {"name": "env", "run": f"env > {signals.path('env')}", "env": {"MY": "own"}}, path="/usr/bin:/bin"
    )
    task = await checked.started()
    await checked.report(task)

    seen = dict(line.split("=", 1) for line in signals.notes("env") if "=" in line)

    assert (seen["CI"], seen["MY"], seen["PATH"], seen["MISSION_TASK_ID"]) == ("1", "own", "/usr/bin:/bin", task)
    assert "TMPDIR" in seen
    assert not {"OPENAI_API_KEY", "MISSION_TOKEN"} & seen.keys()


async def test_a_repository_that_is_removed_under_a_check_is_an_error(checked, signals, repository):
    await checked.check({"name": "slow", "run": signals.pause("slow")})
    task = await checked.started()
    checked.wait_at_most(0.05)
    await checked.report(task)
    await signals.reached("slow")
    shutil.rmtree(repository)
    await signals.let_through("slow")

    round = await checked.until_settled(task)

    assert round.state == "error"
    assert str((await checked.row(task)).status) == "in_progress"
    assert len(await checked.items("checks")) == 1
