"""Starting and completing tasks, through the gateway, in real trees."""

from __future__ import annotations

import pytest

from mission.domain.errors import InvalidInput, InvalidState, NotFound, NotOwner
from mission.git.errors import GitTimeout


@pytest.fixture
async def mission(call, repository):
    call.directory = str(repository)
    return (await call("start_mission", {"name": "Auth", "objective": "JWT"}))["mission_id"]


def ending(task, **more):
    return {"task_id": task["task_id"], "status": "success", "outcome": {"summary": "done"}, **more}


async def test_a_task_makes_its_phase_and_remembers_the_tree(call, mission, repository, git):
    started = await call(
        "start_task",
        {
            "mission_id": mission,
            "phase": 2,
            "phase_name": "Build",
            "caller_type": "subagent",
            "agent_name": "implementer",
            "name": "Middleware",
            "goal": "Verify tokens",
            "areas": ["src"],
        },
    )

    assert started == {
        "task_id": started["task_id"],
        "mission_id": mission,
        "workflow_id": mission,
        "phase_id": started["phase_id"],
        "phase_number": 2,
        "phase_name": "Build",
        "phase_created": True,
        "caller_type": "subagent",
        "agent_name": "implementer",
        "repository_path": str(repository),
        "snapshot_id": git(repository, "rev-parse", "HEAD"),
        "snapshot_type": "git",
        "started_at": started["started_at"],
        "fence": None,
        "warnings": [],
    }


async def test_completion_tells_what_really_changed(call, mission, repository, git):
    (repository / "notes.txt").write_text("dirty before\n")
    task = await call("start_task", {"mission_id": mission, "name": "t", "goal": "g", "areas": ["src"]})
    (repository / "src" / "new.py").write_text("new\n")
    git(repository, "mv", "README.md", "INTRO.md")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "work")
    (repository / "src" / "app.py").write_text("print('bye')\n")

    done = await call("complete_task", ending(task))

    assert done["files_changed"] == {
        "added": ["INTRO.md", "src/new.py"],
        "modified": ["src/app.py"],
        "deleted": ["README.md"],
        "renamed": [{"from": "README.md", "to": "INTRO.md"}],
    }
    assert [commit["subject"] for commit in done["commits"]] == ["work"]
    assert done["verification"]["scope_match"] is False
    assert done["verification"]["unexpected_files"] == ["INTRO.md", "README.md"]
    assert (done["phase_status"], done["phase_number"]) == ("in_progress", 1)


async def test_a_plain_folder_is_compared_by_checksum(call, tmp_path):
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "a").write_text("1")
    call.directory = str(folder)
    await call("start_mission", {"name": "x", "objective": "y"})
    task = await call("start_task", {"name": "t", "goal": "g"})
    (folder / "a").write_text("2")
    (folder / "b").write_text("3")

    done = await call("complete_task", ending(task))

    assert task["snapshot_type"] == "checksum"
    assert done["files_changed"] == {"added": ["b"], "modified": ["a"], "deleted": [], "renamed": []}


async def test_without_a_tree_the_task_is_recorded_with_a_warning(call):
    mission = (await call("start_mission", {"name": "x", "objective": "y"}))["mission_id"]

    task = await call("start_task", {"mission_id": mission, "name": "t", "goal": "g"})
    done = await call("complete_task", ending(task))

    assert (task["snapshot_id"], task["snapshot_type"]) == (None, None)
    assert "repository_path" in task["warnings"][0]
    assert done["files_changed"] is None
    assert "repository_path" in done["verification"]["warnings"][0]
    assert done["verification"]["scope_match"] is True


async def test_the_newest_open_mission_of_the_repository_is_meant_when_none_is_named(call, mission, repository):
    newer = (await call("start_mission", {"name": "newer", "objective": "y"}))["mission_id"]

    assert (await call("start_task", {"name": "t", "goal": "g"}))["mission_id"] == newer
    await call("complete_mission", {"mission_id": newer, "status": "partial", "summary": "s"})
    assert (await call("start_task", {"name": "t", "goal": "g"}))["mission_id"] == mission


async def test_without_any_mission_the_error_says_how_to_start_one(call, repository):
    with pytest.raises(NotFound) as caught:
        await call("start_task", {"name": "t", "goal": "g"}, directory=str(repository))
    assert "start_mission" in caught.value.hint
    with pytest.raises(InvalidInput) as caught:
        await call("start_task", {"name": "t", "goal": "g"})
    assert "start_mission" in caught.value.hint


async def test_a_worktree_of_the_repository_is_a_tree_of_its_mission(call, mission, repository, git, tmp_path):
    git(repository, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    task = await call("start_task", {"name": "t", "goal": "g"}, directory=str(tmp_path / "side"))
    (tmp_path / "side" / "there.txt").write_text("x")
    (repository / "here.txt").write_text("x")

    done = await call("complete_task", ending(task))

    assert task["mission_id"] == mission
    assert done["files_changed"]["added"] == ["there.txt"]


async def test_a_directory_elsewhere_means_the_missions_own_repository(call, mission, repository, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    task = await call(
        "start_task", {"mission_id": mission, "name": "t", "goal": "g"}, directory=str(tmp_path / "elsewhere")
    )
    (repository / "new").write_text("x")

    assert (await call("complete_task", ending(task)))["files_changed"]["added"] == ["new"]


@pytest.mark.parametrize("path", ["relative/path", "~/x", "/no/such/folder"])
async def test_a_path_that_is_no_absolute_folder_is_refused(call, mission, path):
    with pytest.raises(InvalidInput):
        await call("start_task", {"mission_id": mission, "name": "t", "goal": "g", "repository_path": path})


async def test_fields_that_do_not_go_together_are_named(call, mission):
    task = {"mission_id": mission, "name": "t", "goal": "g"}
    wrong = {
        "agent_name": {**task, "caller_type": "subagent"},
        "name": {"mission_id": mission},
        "goal": {"mission_id": mission, "name": "t"},
        "workflow_id": {**task, "workflow_id": "m_0000000000"},
    }

    for field, arguments in wrong.items():
        with pytest.raises(InvalidInput, match=field) as caught:
            await call("start_task", arguments)
        assert caught.value.details["field"] == field
        assert caught.value.hint


async def test_without_a_phase_the_task_stands_in_the_current_one(call, mission):
    first = await call("start_task", {"mission_id": mission, "name": "a", "goal": "g"})
    await call("complete_task", ending(first, phase_complete=True))

    second = await call("start_task", {"mission_id": mission, "name": "b", "goal": "g"})

    assert (first["phase_number"], first["phase_created"]) == (1, True)
    assert (second["phase_number"], second["phase_created"]) == (2, True)


async def test_a_closed_phase_takes_no_task_and_names_the_open_ones(call, mission):
    first = await call("start_task", {"mission_id": mission, "phase": 1, "name": "a", "goal": "g"})
    await call("start_phase", {"workflow_id": mission, "number": 3, "name": "later"})
    done = await call("complete_task", ending(first, phase_complete=True))

    assert done["phase_status"] == "completed"
    with pytest.raises(InvalidState) as caught:
        await call("start_task", {"mission_id": mission, "phase": 1, "name": "b", "goal": "g"})
    assert caught.value.details["open_phases"] == [3]


async def test_a_phase_of_another_mission_is_refused(call, mission):
    other = (await call("start_mission", {"name": "other", "objective": "y"}))["mission_id"]
    phase = await call("start_phase", {"workflow_id": other, "number": 1, "name": "p"})

    with pytest.raises(InvalidInput, match="phase_id"):
        await call("start_task", {"mission_id": mission, "phase_id": phase["phase_id"], "name": "t", "goal": "g"})


async def test_a_parent_waits_for_its_children(call, mission):
    parent = await call("start_task", {"mission_id": mission, "name": "parent", "goal": "g"})
    child = await call(
        "start_task", {"mission_id": mission, "parent_task_id": parent["task_id"], "name": "child", "goal": "g"}
    )

    with pytest.raises(InvalidState) as caught:
        await call("complete_task", ending(parent))
    assert child["task_id"] in caught.value.message

    assert (await call("complete_task", ending(child)))["verification"]["warnings"] == []
    assert (await call("complete_task", ending(parent)))["status"] == "success"


async def test_tasks_that_overlap_in_one_tree_are_warned_about(call, mission):
    one = await call("start_task", {"mission_id": mission, "name": "one", "goal": "g"})
    two = await call("start_task", {"mission_id": mission, "name": "two", "goal": "g"})

    done = await call("complete_task", ending(one))

    assert two["task_id"] in done["verification"]["warnings"][0]
    assert "worktree" in done["verification"]["warnings"][0]


async def test_completing_twice_with_the_same_words_answers_the_same(call, mission, repository, clock):
    task = await call("start_task", {"mission_id": mission, "name": "t", "goal": "g"})
    (repository / "new").write_text("x")
    first = await call("complete_task", ending(task, phase_complete=True))
    clock.advance(hours=1)
    (repository / "newer").write_text("x")

    assert await call("complete_task", ending(task, phase_complete=True)) == first
    with pytest.raises(InvalidState, match="is already completed"):
        await call("complete_task", ending(task, status="failed"))


async def test_a_failed_task_reports_its_changes_and_keeps_its_snapshot_for_the_next_try(call, mission, repository):
    task = await call("start_task", {"mission_id": mission, "name": "t", "goal": "g"})
    (repository / "one").write_text("x")
    failed = await call("complete_task", ending(task, status="failed"))
    (repository / "two").write_text("x")

    again = await call("start_task", {"task_id": task["task_id"]})
    done = await call("complete_task", ending(task))

    assert failed["status"] == "failed"
    assert failed["files_changed"]["added"] == ["one"]
    assert again["snapshot_id"] == task["snapshot_id"]
    assert done["files_changed"]["added"] == ["one", "two"]


async def test_a_lost_snapshot_is_said_and_does_not_stop_completion(call, mission, settings):
    task = await call("start_task", {"mission_id": mission, "name": "t", "goal": "g"})
    for path in settings.snapshots_path.rglob("*"):
        if path.is_file():
            path.unlink()

    done = await call("complete_task", ending(task))

    assert done["files_changed"] is None
    assert done["verification"]["warnings"]


async def test_only_the_owner_may_write_to_its_task(call, mission):
    ada = (await call("agent_register", {"name": "ada", "runtime": "codex"}))["id"]
    bob = (await call("agent_register", {"name": "bob", "runtime": "codex"}))["id"]
    task = await call("start_task", {"mission_id": mission, "name": "t", "goal": "g", "agent_id": ada})

    for tool, arguments in (
        ("complete_task", ending(task)),
        ("log_milestone", {"task_id": task["task_id"], "message": "m"}),
    ):
        with pytest.raises(NotOwner) as caught:
            await call(tool, {**arguments, "agent_id": bob})
        assert caught.value.details["owner_id"] == ada
        with pytest.raises(NotOwner):
            await call(tool, {**arguments, "agent_id": ada, "fence": 7})

    assert task["fence"] == 1
    assert (await call("complete_task", {**ending(task), "agent_id": "ada", "fence": 1}))["status"] == "success"


async def test_snapshots_are_removed_once_the_task_is_done(call, mission, settings):
    task = await call("start_task", {"mission_id": mission, "name": "t", "goal": "g"})
    await call("complete_task", ending(task))

    rows = await call.app.database.read(lambda tx: tx.tasks.snapshots_in_use(host_id="test-host"))
    assert rows == []


async def test_a_git_command_that_takes_too_long_is_an_incident_with_a_number(call, mission, monkeypatch):
    task = await call("start_task", {"mission_id": mission, "name": "t", "goal": "g"})

    async def stuck(*_, **__):
        raise GitTimeout(command="status", seconds=60)

    monkeypatch.setattr(call.app.trees, "changes", stuck)

    with pytest.raises(GitTimeout) as failed:
        await call("complete_task", ending(task))

    assert failed.value.details == {"command": "status", "incident": failed.value.details["incident"]}
    assert failed.value.message == "'git status' did not finish within 60 seconds and was stopped"


async def test_the_snapshot_of_a_failed_task_is_kept_until_its_mission_has_ended_for_good(call, mission):
    task = await call("start_task", {"mission_id": mission, "name": "t", "goal": "g"})
    await call("complete_task", {**ending(task), "status": "failed"})
    kept = []
    for status in ("failed", "in_progress", "abandoned"):
        await call("workflow_update_status", {"id": mission, "status": status})
        rows = await call.app.database.read(lambda tx: tx.tasks.snapshots_in_use(host_id="test-host"))
        kept.append(len(rows))

    assert kept == [1, 1, 0]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"status": "sucess"}, "status"),
        ({"outcome": {}}, "outcome.summary"),
        ({"outcome": "done"}, "outcome"),
        ({"metadata": {"tests_status": "green"}}, "metadata.tests_status"),
        ({"metadata": {"tokens_input": -1}}, "metadata.tokens_input"),
    ],
)
async def test_a_wrong_ending_is_named(call, mission, change, field):
    task = await call("start_task", {"mission_id": mission, "name": "t", "goal": "g"})

    with pytest.raises(InvalidInput) as caught:
        await call("complete_task", {**ending(task), **change})

    assert field in caught.value.message


async def test_a_second_failure_with_the_same_words_ends_the_second_try(call, mission):
    task = await call("start_task", {"mission_id": mission, "name": "t", "goal": "g"})
    await call("complete_task", ending(task, status="failed"))
    await call("start_task", {"task_id": task["task_id"]})
    reading = {"mission_id": mission, "include": ["tasks"]}
    assert (await call("get_context", reading))["tasks"][0]["outcome"] is None

    await call("complete_task", ending(task, status="failed"))

    assert (await call("get_context", reading))["tasks"][0]["status"] == "FAILED"


async def test_a_failed_task_may_be_tried_by_another_and_its_first_owner_is_late(call, mission):
    ada = (await call("agent_register", {"name": "ada", "runtime": "codex"}))["id"]
    bob = (await call("agent_register", {"name": "bob", "runtime": "codex"}))["id"]
    task = await call("start_task", {"mission_id": mission, "name": "t", "goal": "g", "agent_id": ada})
    await call("complete_task", ending(task, status="failed", agent_id=ada))

    again = await call("start_task", {"task_id": task["task_id"], "agent_id": bob})

    assert again["fence"] == 2
    with pytest.raises(NotOwner) as caught:
        await call("log_milestone", {"task_id": task["task_id"], "message": "m", "agent_id": ada})
    assert caught.value.details["owner_id"] == bob


async def test_a_task_taken_over_by_nobody_known_still_leaves_its_old_owner_behind(call, mission):
    ada = (await call("agent_register", {"name": "ada", "runtime": "codex"}))["id"]
    task = await call("start_task", {"mission_id": mission, "name": "t", "goal": "g", "agent_id": ada})
    await call("complete_task", ending(task, status="failed", agent_id=ada))
    await call("start_task", {"task_id": task["task_id"]})

    with pytest.raises(NotOwner):
        await call("complete_task", ending(task, agent_id=ada, fence=task["fence"]))


async def test_a_refused_start_leaves_no_snapshot_behind(call, mission, settings):
    await call("start_phase", {"workflow_id": mission, "number": 1, "name": "p"})
    first = await call("start_task", {"mission_id": mission, "phase": 1, "name": "a", "goal": "g"})
    await call("complete_task", ending(first, phase_complete=True))
    deltas = set(settings.snapshots_path.rglob("deltas/*"))

    with pytest.raises(InvalidState):
        await call("start_task", {"mission_id": mission, "phase": 1, "name": "b", "goal": "g"})

    assert set(settings.snapshots_path.rglob("deltas/*")) == deltas == set()


async def test_success_without_a_trace_in_the_announced_areas_is_questioned(call, mission):
    task = await call("start_task", {"mission_id": mission, "name": "t", "goal": "g", "areas": ["src"]})

    done = await call("complete_task", ending(task))

    assert done["verification"]["scope_match"] is True
    assert "no file has changed" in done["verification"]["warnings"][0]


async def test_a_phase_beyond_the_expected_ones_is_said(call, mission):
    task = await call("start_task", {"mission_id": mission, "phase": 9, "name": "t", "goal": "g"})

    assert "beyond the 3 phases" in task["warnings"][0]


async def test_an_agent_announces_the_areas_of_a_planned_task_unless_they_are_known(call, mission):
    planned = {"workflow_id": mission, "tasks": [{"name": "a", "description": "d", "sequence": 1}]}
    (task,) = (await call("workflow_add_tasks", planned))["task_ids"]

    await call("start_task", {"task_id": task, "areas": ["src"]})
    await call("task_update_status", {"id": task, "status": "pending"})
    await call("start_task", {"task_id": task, "areas": ["docs"]})

    assert (await call("overview_task", {"task_id": task}))["areas"] == ["src"]
