"""Workspaces: real worktrees, made where they may be, and ended without losing work."""

from __future__ import annotations

import os

import pytest

from mission.domain.errors import Conflict, InvalidInput, InvalidState, MissionError, NotFound
from tests.tools.conftest import planned


@pytest.fixture
def make_workspace(call, make_workflow, repository):
    """A workflow in the repository with a worktree beside it. Answers both ids, the tasks and the path."""

    async def make(*tasks, name="wt", branch="work", **more):
        id, found = await make_workflow(*tasks, repository_path=str(repository))
        path = repository.parent / name
        wanted = {"workflow_id": id, "path": str(path), "branch": branch, "create": True, **more}
        made = await call("workspace_create", wanted)
        return id, found, made["id"], path

    return make


async def workspace(call, id):
    return await call("workspace_get", {"id": id})


async def test_a_worktree_is_made_on_a_new_branch_and_listed(call, make_workspace, repository, git):
    id, tasks, made, path = await make_workspace(planned("a"), base_branch="main")
    again = {"workflow_id": id, "path": str(path), "branch": "work", "create": True, "task_ids": [tasks["a"]]}

    repeated = await call("workspace_create", again)
    (path / "new.txt").write_text("x")
    listed = await call("workspace_list", {"workflow_id": id, "status": ["active"], "include_state": True})

    assert repeated["id"] == made
    assert git(path, "branch", "--show-current") == "work"
    (row,) = listed["workspaces"]
    times = {name: row.pop(name) for name in ("created_at", "updated_at")}
    assert None not in times.values()
    assert row == {
        "id": made,
        "workflow_id": id,
        "host_id": "test-host",
        "path": str(path),
        "branch": "work",
        "base_branch": "main",
        "status": "active",
        "merge_commit": None,
        "kept_branch": None,
        "task_ids": [tasks["a"]],
        "removed_at": None,
        "state": {
            "exists": True,
            "head": git(repository, "rev-parse", "HEAD"),
            "current_branch": "work",
            "ahead": 0,
            "behind": 0,
            "dirty": True,
            "uncommitted": ["new.txt"],
        },
    }
    assert (await call("workspace_list", {"workflow_id": id, "status": ["merged"]}))["workspaces"] == []


async def test_a_task_is_followed_in_its_workspace_wherever_its_caller_stands(call, make_workspace, repository):
    _, tasks, made, path = await make_workspace(planned("a"))
    await call("task_assign_workspace", {"task_id": tasks["a"], "workspace_id": made})

    started = await call("start_task", {"task_id": tasks["a"]}, directory=str(repository))
    (path / "there.py").write_text("x")
    (repository / "here.py").write_text("x")
    done = await call("complete_task", {"task_id": tasks["a"], "status": "success", "outcome": {"summary": "x"}})

    assert started["repository_path"] == str(path)
    assert done["files_changed"]["added"] == ["there.py"]


async def test_an_existing_worktree_anywhere_is_registered_on_the_branch_it_is_on(
    call, make_workflow, repository, git, tmp_path_factory
):
    id, _ = await make_workflow(planned("a"), repository_path=str(repository))
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "wt"
    git(repository, "worktree", "add", "-q", "-b", "side", str(elsewhere))
    wanted = {"workflow_id": id, "path": str(elsewhere), "branch": "side"}

    with pytest.raises(InvalidState, match="is on side, not on 'other'"):
        await call("workspace_create", wanted | {"branch": "other"})
    registered = await call("workspace_create", wanted)

    assert (await workspace(call, registered["id"]))["state"]["exists"] is True
    other, _ = await make_workflow(planned("a"), repository_path=str(repository))
    with pytest.raises(Conflict, match=registered["id"]):
        await call("workspace_create", wanted | {"workflow_id": other})


async def test_wrong_places_and_names_are_refused_and_nothing_is_left(call, make_workflow, repository, git, tmp_path):
    id, _ = await make_workflow(planned("a"), repository_path=str(repository))
    outside = tmp_path.parent / "outside"
    (repository.parent / "link").symlink_to("/tmp")
    (repository.parent / "full").mkdir()
    (repository.parent / "full" / "file").write_text("x")
    beside = str(repository.parent / "wt")
    wrong = [
        ({"path": "relative/wt"}, "absolute"),
        ({"path": "~/wt"}, "absolute"),
        ({"path": str(outside)}, "outside the folders"),
        ({"path": f"{repository.parent}/../wt"}, r"'\.\.'"),
        ({"path": f"{repository.parent}/link/wt"}, "outside the folders"),
        ({"path": f"{repository}/.git/wt"}, r"\.git"),
        ({"path": f"{repository}/.GIT/wt"}, r"\.git"),
        ({"path": f"{repository}/inside"}, "inside a working tree"),
        ({"path": f"{repository.parent}/full"}, "not a worktree"),
        ({"path": f"{repository.parent}/a\nb"}, "printed"),
        ({"path": f"{repository.parent}/a\0b"}, "NUL"),
        ({"path": f"{repository.parent}/\udce9"}, "surrogate"),
        ({"branch": "--force"}, "not a valid branch name"),
        ({"branch": "-b"}, "not a valid branch name"),
        ({"branch": "a..b"}, "not a valid branch name"),
        ({"branch": "HEAD"}, "not a valid branch name"),
        ({"branch": "refs/heads/work"}, "not a valid branch name"),
        ({"branch": "main"}, "already exists"),
        ({"base_branch": "--all"}, "base_branch"),
        ({"base_branch": "nowhere"}, "no branch or tag"),
        ({"create": False}, "no worktree at"),
        ({"task_ids": ["t_0000000000"]}, "no task"),
        ({"copy_files": ["../secret"]}, "copy"),
        ({"copy_files": ["/etc/passwd"]}, "relative to the repository"),
        ({"copy_files": [".git/config"]}, r"\.git"),
        ({"copy_files": ["missing.env"]}, "not a file"),
        ({"setup": "echo sorry >&2; exit 3"}, "exit code 3; its output: …sorry"),
    ]
    for wish, words in wrong:
        arguments = {"workflow_id": id, "path": beside, "branch": "work", "create": True, **wish}
        with pytest.raises(MissionError, match=words) as caught:
            await call("workspace_create", arguments)
        assert caught.value.hint, wish
        assert caught.value.details.get("field", "path") in arguments, wish

    assert git(repository, "branch", "--format=%(refname:short)") == "main"
    assert len(git(repository, "worktree", "list").splitlines()) == 1
    assert not os.path.lexists(beside)
    assert (await call("workspace_list", {"workflow_id": id}))["workspaces"] == []


async def test_a_new_worktree_gets_its_files_and_its_setup(call, make_workspace, repository, git, monkeypatch):
    (repository / ".gitignore").write_text(".env\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "ignore")
    (repository / ".env").write_text("KEY=1\n")
    (repository / "local.cfg").write_text("a\n")
    hook = repository / ".git" / "hooks" / "post-checkout"
    hook.write_text("#!/bin/sh\ntouch hooked\n")
    hook.chmod(0o755)
    git(repository, "config", "filter.evil.smudge", "touch ran; cat")
    (repository / ".git" / "info" / "attributes").write_text("* filter=evil\n")
    monkeypatch.setenv("MISSION_TOKEN", "secret")

    _, _, made, path = await make_workspace(copy_files=[".env", "local.cfg"], setup="env > seen.log; sleep 600 & pwd")

    assert (path / ".env").read_text() == "KEY=1\n"
    seen = (path / "seen.log").read_text()
    assert "secret" not in seen
    assert f"PWD={path}" in seen
    assert not (path / "hooked").exists()
    assert not (path / "ran").exists()
    assert (await workspace(call, made))["state"]["uncommitted"] == ["seen.log"]


async def test_merged_is_believed_only_when_another_branch_holds_everything(call, make_workspace, repository, git):
    _, _, made, path = await make_workspace()
    start = git(repository, "rev-parse", "HEAD")
    merged = {"id": made, "status": "merged"}
    (path / "work.py").write_text("x")
    with pytest.raises(InvalidInput, match="merge_commit"):
        await call("workspace_update", merged)
    with pytest.raises(InvalidState, match=r"work\.py"):
        await call("workspace_update", merged | {"merge_commit": start})
    git(path, "add", "-A")
    git(path, "commit", "-qm", "The work")
    tip = git(path, "rev-parse", "HEAD")
    git(repository, "update-ref", "refs/remotes/origin/work", tip)  # pushed is not merged
    for commit, words in [
        (start, "does not contain.*The work"),
        (tip, "on no branch or tag except 'work' itself"),
        ("f" * 40, "there is no commit"),
        ("HEAD", "not a commit id"),
        ("--all", "not a commit id"),
    ]:
        with pytest.raises(MissionError, match=words):
            await call("workspace_update", merged | {"merge_commit": commit})
    git(repository, "merge", "-q", "--no-ff", "-m", "merge", "work")
    merge = git(repository, "rev-parse", "HEAD")

    assert await call("workspace_update", merged | {"merge_commit": merge[:12]}) == {"success": True}

    assert (await workspace(call, made))["merge_commit"] == merge
    with pytest.raises(InvalidState, match="merged and cannot become"):
        await call("workspace_update", {"id": made, "status": "abandoned"})


async def test_abandoned_work_stays_reachable_committed_or_not(call, make_workspace, repository, git):
    _, _, made, path = await make_workspace()
    (path / "done.py").write_text("done")
    git(path, "add", "-A")
    git(path, "commit", "-qm", "done")
    (path / "half.py").write_text("half")
    (path / "README.md").unlink()
    odd = path / os.fsdecode(b"caf\xe9")
    odd.mkdir()
    (odd / "x").write_text("bytes")
    status = git(path, "status", "--porcelain")
    with pytest.raises(InvalidState, match="active"):
        await call("workspace_remove", {"id": made})

    kept = (await call("workspace_update", {"id": made, "status": "abandoned"}))["kept_branch"]

    assert git(path, "status", "--porcelain") == status
    assert git(repository, "show", f"{kept}:half.py") == "half"
    assert git(repository, "ls-tree", "--name-only", kept).splitlines() == ['"caf\\351"', "done.py", "half.py", "src"]
    (path / "late.py").write_text("late")
    with pytest.raises(InvalidState, match=r"late\.py"):
        await call("workspace_remove", {"id": made})
    assert path.is_dir()
    await call("workspace_remove", {"id": made, "save": True})
    assert not path.exists()
    assert git(repository, "show", f"{kept}:late.py") == "late"
    with pytest.raises(InvalidState, match=r"done\.py"):
        await call("workspace_remove", {"id": made, "delete_branch": True})
    assert git(repository, "show", "work:done.py") == "done"
    git(repository, "merge", "-q", "work")
    await call("workspace_remove", {"id": made, "delete_branch": True})
    assert git(repository, "branch", "--list", "work") == ""


async def test_removal_sees_what_git_was_told_to_overlook_and_ends_what_was_cut_short(
    call, make_workspace, repository, git
):
    (repository / ".git" / "info" / "exclude").write_text(".env\n")
    (repository / ".env").write_text("A=1\n")
    _, _, made, path = await make_workspace(copy_files=[".env"])
    git(path, "update-index", "--assume-unchanged", "README.md")
    git(path, "update-index", "--skip-worktree", "src/app.py")
    for name in ("README.md", "src/app.py"):
        (path / name).write_text("edited")
    git(path, "checkout", "-q", "--detach")
    git(path, "commit", "-q", "--allow-empty", "-m", "on no branch")
    lonely = git(path, "rev-parse", "HEAD")

    kept = (await call("workspace_update", {"id": made, "status": "abandoned"}))["kept_branch"]

    assert git(repository, "show", f"{kept}:README.md") == git(repository, "show", f"{kept}:src/app.py") == "edited"
    assert git(repository, "merge-base", "--is-ancestor", lonely, kept) == ""
    (path / "README.md").write_text("edited again")
    with pytest.raises(InvalidState, match=r"README\.md"):
        await call("workspace_remove", {"id": made})
    (path / ".env").write_text("A=2\n")
    with pytest.raises(InvalidState, match=r"\.env"):
        await call("workspace_remove", {"id": made, "save": True})
    assert git(path, "status", "--porcelain") == ""  # it stands as it stood
    aside = path.with_name(f".{path.name}.removing")
    path.rename(aside)
    (aside / ".git").unlink()
    await call("workspace_remove", {"id": made})
    assert not aside.exists()
    assert len(git(repository, "worktree", "list").splitlines()) == 1
    assert (await workspace(call, made))["removed_at"] is not None


async def test_a_worktree_in_use_is_not_removed(call, make_workspace, git):
    _, tasks, made, path = await make_workspace(planned("a"), task_ids=[])
    await call("task_assign_workspace", {"task_id": tasks["a"], "workspace_id": made})
    await call("start_task", {"task_id": tasks["a"]})
    await call("workspace_update", {"id": made, "status": "abandoned"})

    with pytest.raises(InvalidState, match=tasks["a"]):
        await call("workspace_remove", {"id": made})

    assert path.is_dir()


async def test_a_task_gets_only_a_living_workspace_of_its_own_workflow(call, make_workspace, make_workflow):
    _, tasks, made, _ = await make_workspace(planned("a"), planned("b"))
    _, others = await make_workflow(planned("x"))
    with pytest.raises(InvalidInput, match="belongs to"):
        await call("task_assign_workspace", {"task_id": others["x"], "workspace_id": made})
    await call("start_task", {"task_id": tasks["a"]})
    with pytest.raises(InvalidState, match="in_progress"):
        await call("task_assign_workspace", {"task_id": tasks["a"], "workspace_id": made})
    await call("workspace_update", {"id": made, "status": "abandoned"})
    with pytest.raises(InvalidState, match="abandoned"):
        await call("task_assign_workspace", {"task_id": tasks["b"], "workspace_id": made})
    await call("workspace_update", {"id": made, "status": "active"})
    await call("task_assign_workspace", {"task_id": tasks["b"], "workspace_id": made})

    assert (await call("task_get", {"id": tasks["b"]}))["workspace_id"] == made


async def test_an_update_that_says_nothing_changes_nothing(call, make_workspace):
    _, _, made, _ = await make_workspace(planned("a"))
    before, events = await workspace(call, made), call.app.events.last

    assert await call("workspace_update", {"id": made}) == {"success": True}
    assert await call("workspace_update", {"id": made, "status": None, "merge_commit": None}) == {"success": True}

    assert await workspace(call, made) == before
    assert call.app.events.last == events
    with pytest.raises(InvalidInput) as unsaid:
        await call("workspace_update", {"id": made, "merge_commit": "abc"})
    assert unsaid.value.details["field"] == "status"
    with pytest.raises(NotFound):
        await call("workspace_update", {"id": "w_000000000000"})
