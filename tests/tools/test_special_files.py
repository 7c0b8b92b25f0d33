"""A repository whose files are pipes, devices or endless: nothing hangs, nothing grows, other repositories go on."""

from __future__ import annotations

import asyncio
import itertools
import os
import resource
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from mission.domain.errors import InvalidInput, InvalidState
from mission.git import command
from mission.git.errors import GitFailed
from tests import fault_cases

PATIENCE = 60
GROWTH = 400 << 20

INSIDE_GIT = ("HEAD", "config", "index", "packed-refs", "info/exclude", "info/attributes", "logs/HEAD")
LINKED = (".gitattributes", "src/.gitattributes", ".gitignore", "src/.gitignore", ".mailmap")
DEVICES = ("/dev/zero", "/dev/tty", "/proc/self/mem")
NAMED_IN_SETTINGS = ("core.excludesFile", "core.attributesFile", "diff.orderFile", "mailmap.file")


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "STUCK_SECONDS", 0.6)
    monkeypatch.setattr(command, "POLL_SECONDS", 0.1)


@pytest.fixture
def bounded() -> Iterator[None]:
    """Little more memory than this process has now, so that reading without end fails and takes no machine down."""
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + GROWTH, hard))
    yield
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


@pytest.fixture
def other(tmp_path, git):
    """Another repository, in which all is well."""
    top = tmp_path / "other"
    top.mkdir()
    git(top, "init", "-q", "-b", "main")
    (top / "a.txt").write_text("a\n")
    git(top, "add", "-A")
    git(top, "commit", "-qm", "first")
    return top


def pipe(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    os.mkfifo(path)


async def mission_in(call, top):
    return (await call("start_mission", {"name": "m", "objective": "o", "repository_path": str(top)}))["mission_id"]


async def start(call, mission, top):
    wanted = {"mission_id": mission, "name": "t", "goal": "g", "repository_path": str(top)}
    return await asyncio.wait_for(call("start_task", wanted), PATIENCE)


async def finish(call, task):
    done = {"task_id": task["task_id"], "status": "success", "outcome": {"summary": "s"}}
    return await asyncio.wait_for(call("complete_task", done), PATIENCE)


@pytest.mark.faults
@pytest.mark.parametrize(("name", "target"), fault_cases.sample(itertools.product(LINKED, DEVICES)))
async def test_a_link_to_a_device_is_not_read(call, bounded, repository, tmp_path, git, name, target):
    (repository / name).symlink_to(target)
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "linked")
    cloned = tmp_path / "cloned"
    git(tmp_path, "clone", "-q", str(repository), str(cloned))

    task = await start(call, await mission_in(call, cloned), cloned)
    (cloned / "README.md").write_text("changed\n")
    ended = await finish(call, task)

    assert ended["files_changed"]["modified"] == ["README.md"]


@pytest.mark.parametrize("kind", ["pipe", "endless", "link"])
async def test_templates_that_are_no_files_are_passed_over(call, bounded, repository, kind):
    folder = repository / ".mission" / "templates"
    folder.mkdir(parents=True)
    path = folder / "odd.json"
    if kind == "pipe":
        pipe(path)
    elif kind == "link":
        path.symlink_to("/dev/zero")
    else:
        path.touch()
        os.truncate(path, 1 << 40)

    listed = await asyncio.wait_for(call("template_list", {"repository_path": str(repository)}), PATIENCE)

    assert listed["templates"] == []


async def test_a_folder_of_templates_behind_a_link_is_passed_over(call, repository, tmp_path):
    (tmp_path / "elsewhere" / "templates").mkdir(parents=True)
    (tmp_path / "elsewhere" / "templates" / "a.json").write_text("{}")
    (repository / ".mission").symlink_to(tmp_path / "elsewhere")

    listed = await call("template_list", {"repository_path": str(repository)})

    assert (listed["templates"], listed["broken"]) == ([], [])


@pytest.mark.faults
@pytest.mark.parametrize(
    "name",
    fault_cases.sample([*(f".git/{name}" for name in INSIDE_GIT), ".gitattributes", ".gitignore", ".gitmodules"]),
)
async def test_a_pipe_in_place_of_a_file_is_named_and_holds_up_nobody(call, repository, other, name):
    mission, elsewhere = await mission_in(call, repository), await mission_in(call, other)
    pipe(repository / name)

    stuck = [asyncio.create_task(start(call, mission, repository)) for _ in range(8)]
    good = await start(call, elsewhere, other)
    refused = await asyncio.gather(*stuck, return_exceptions=True)

    assert good["task_id"]
    for error in refused:
        assert isinstance(error, InvalidState | InvalidInput), error
        assert name.removeprefix(".git/") in error.message
        assert error.hint


@pytest.mark.faults
@pytest.mark.parametrize("name", fault_cases.sample(["src/.gitignore", "new/.gitignore"], size=1))
async def test_a_pipe_that_nobody_looks_for_is_noticed_when_git_waits(call, repository, other, name):
    mission, elsewhere = await mission_in(call, repository), await mission_in(call, other)
    pipe(repository / name)
    (repository / "new").mkdir(exist_ok=True)
    (repository / "new" / "file.txt").write_text("x\n")

    stuck = [asyncio.create_task(start(call, mission, repository)) for _ in range(8)]
    good = await start(call, elsewhere, other)
    refused = await asyncio.gather(*stuck, return_exceptions=True)

    assert good["task_id"]
    for error in refused:
        assert isinstance(error, InvalidState), error
        assert "find . -type p" in error.hint


async def test_a_pipe_that_comes_after_the_start_is_named_at_the_end(call, repository):
    task = await start(call, await mission_in(call, repository), repository)
    pipe(repository / "src" / ".gitattributes")
    (repository / "src" / "app.py").write_text("print('changed')\n")

    with pytest.raises(InvalidState) as caught:
        await finish(call, task)

    assert caught.value.hint
    (repository / "src" / ".gitattributes").unlink()
    assert (await finish(call, task))["files_changed"]["modified"] == ["src/app.py"]


@pytest.mark.faults
@pytest.mark.parametrize(
    ("key", "target"), fault_cases.sample(itertools.product(NAMED_IN_SETTINGS, ["pipe", "/dev/zero"]))
)
async def test_a_file_that_a_setting_names_is_read_only_if_it_is_one(
    call, bounded, repository, tmp_path, git, key, target
):
    if target == "pipe":
        target = str(tmp_path / "pipe")
        os.mkfifo(target)
    git(repository, "config", key, target)

    task = await start(call, await mission_in(call, repository), repository)
    (repository / "README.md").write_text("changed\n")
    shown = await asyncio.wait_for(call("overview_diff", {"task_id": task["task_id"], "path": "README.md"}), PATIENCE)
    ended = await finish(call, task)

    assert "+changed" in shown["patch"]
    assert ended["files_changed"]["modified"] == ["README.md"]


@pytest.mark.parametrize("target", ["pipe", "/dev/zero"])
async def test_an_included_configuration_that_is_no_file_ends_in_time(call, bounded, repository, tmp_path, git, target):
    mission = await mission_in(call, repository)
    if target == "pipe":
        target = str(tmp_path / "pipe")
        os.mkfifo(target)
    with (repository / ".git" / "config").open("a") as file:
        file.write(f"[include]\n\tpath = {target}\n")

    with pytest.raises(Exception, match="git") as caught:
        await start(call, mission, repository)

    assert not isinstance(caught.value, TimeoutError | MemoryError)


async def test_a_head_without_end_takes_no_memory(call, bounded, repository):
    mission = await mission_in(call, repository)
    (repository / ".git" / "HEAD").unlink()
    (repository / ".git" / "HEAD").symlink_to("/dev/zero")

    with pytest.raises(InvalidState, match="HEAD"):
        await start(call, mission, repository)


async def test_git_itself_may_not_take_all_memory(repository, monkeypatch):
    monkeypatch.setattr(command, "MEMORY", 32 << 20)

    with pytest.raises(GitFailed) as caught:
        command.run("rev-list", "--stdin", cwd=repository, stdin=b"x" * (128 << 20))

    assert "Out of memory" in caught.value.log


async def test_a_nested_repository_with_pipes_is_compared_by_its_files(call, repository, git):
    nested = repository / "nested"
    nested.mkdir()
    git(nested, "init", "-q")
    (nested / "n.txt").write_text("n\n")
    pipe(nested / ".git" / "HEAD.lock")
    (nested / ".git" / "config").unlink()
    os.mkfifo(nested / ".git" / "config")

    task = await start(call, await mission_in(call, repository), repository)
    (nested / "n.txt").write_text("changed\n")
    ended = await finish(call, task)

    assert ended["files_changed"]["modified"] == ["nested"]


@pytest.mark.parametrize("name", [".gitignore", ".git", "index"])
async def test_a_workspace_with_a_pipe_is_answered_for_and_the_next_one_too(call, repository, git, name):
    wanted = {"name": "W", "source_type": "prompt", "source_content": "B", "repository_path": str(repository)}
    workflow = (await call("workflow_create", wanted))["id"]
    places = [repository.parent / branch for branch in ("one", "two")]
    for path in places:
        await call(
            "workspace_create", {"workflow_id": workflow, "path": str(path), "branch": path.name, "create": True}
        )
    target = repository / ".git" / "worktrees" / "one" / "index" if name == "index" else places[0] / name
    pipe(target)

    async def stands(workspace):
        try:
            found = await asyncio.wait_for(call("workspace_get", {"id": workspace["id"]}), PATIENCE)
        except (InvalidState, InvalidInput) as error:
            return error.hint
        return found["state"]["exists"]

    listed = (await call("workspace_list", {"workflow_id": workflow, "include_state": False}))["workspaces"]
    by_path = {each["path"]: await stands(each) for each in listed}

    assert by_path[str(places[1])] is True
    assert by_path[str(places[0])]
    together = (await call("workspace_list", {"workflow_id": workflow, "include_state": True}))["workspaces"]
    assert {each["path"]: (each.get("state") or {}).get("exists") for each in together}[str(places[1])] is True


@pytest.mark.parametrize("kind", ["pipe", "/dev/zero", "sparse"])
async def test_a_ref_that_is_not_a_small_file_is_named_at_once(call, bounded, repository, kind):
    mission = await mission_in(call, repository)
    ref = repository / ".git" / "refs" / "heads" / "main"
    ref.unlink()
    if kind == "pipe":
        os.mkfifo(ref)
    elif kind == "sparse":
        with ref.open("wb") as file:
            file.truncate(20 << 30)
    else:
        ref.symlink_to(kind)

    with pytest.raises(InvalidState, match="refs/heads/main"):
        await start(call, mission, repository)


@pytest.mark.parametrize("kind", ["pipe", "link"])
async def test_a_copied_file_that_is_none_is_refused(call, bounded, repository, kind):
    wanted = {"name": "W", "source_type": "prompt", "source_content": "B", "repository_path": str(repository)}
    workflow = (await call("workflow_create", wanted))["id"]
    path = repository / ".env"
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    wish = {"workflow_id": workflow, "path": str(repository.parent / "wt"), "branch": "w", "create": True}

    with pytest.raises(InvalidInput, match=r"\.env"):
        await asyncio.wait_for(call("workspace_create", {**wish, "copy_files": [".env"]}), PATIENCE)


async def test_a_copied_file_that_became_a_pipe_holds_up_nothing(call, repository):
    (repository / ".env").write_text("KEY=1\n")
    wanted = {"name": "W", "source_type": "prompt", "source_content": "B", "repository_path": str(repository)}
    workflow = (await call("workflow_create", wanted))["id"]
    path = repository.parent / "wt"
    wish = {"workflow_id": workflow, "path": str(path), "branch": "w", "create": True, "copy_files": [".env"]}
    made = await call("workspace_create", wish)
    pipe(path / ".env")

    found = await asyncio.wait_for(call("workspace_get", {"id": made["id"]}), PATIENCE)

    assert found["state"]["exists"] is True


async def test_stopping_does_not_wait_for_a_repository_that_gives_no_answer(call, repository, monkeypatch):
    monkeypatch.setattr(command, "STUCK_SECONDS", 600.0)
    mission = await mission_in(call, repository)
    pipe(repository / "src" / ".gitignore")
    stuck = [asyncio.create_task(start(call, mission, repository)) for _ in range(8)]
    deadline = time.monotonic() + PATIENCE
    while not command._running:
        assert time.monotonic() < deadline
        await asyncio.sleep(0.01)

    await asyncio.wait_for(call.app.trees.close(), PATIENCE)

    answers = await asyncio.gather(*stuck, return_exceptions=True)
    assert all(isinstance(answer, Exception) for answer in answers)
    assert not command._running
    shutil.rmtree(repository / "src")
