"""Worktrees of our own in which merged commits are checked."""

from __future__ import annotations

import fcntl
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mission.domain.errors import Conflict
from mission.git.integration import merge_worktree
from mission.git.integration.errors import CommitMissing
from mission.git.integration.merge_worktree import check_out, check_out_fresh, discard
from mission.git.worktrees.worktree import worktrees
from tests.git.integration.run_repositories import Run, is_sound, killed, make_hostile, seen, start_run, users_state
from tests.git.real_repositories import Repo, contents


def place(run: Run) -> Repo:
    return run.repo.at(run.repo.path.parent / "home" / "merge")


def worked(folder: Path) -> Run:
    run = start_run(folder)
    run.task.write(os.fsdecode(b"caf\xe9.txt"), "odd\n")
    run.task.write("script.sh", "#!/bin/sh\n").chmod(0o755)
    (run.task.path / "link").symlink_to("a.txt")
    (run.task.path / "b.txt").unlink()
    run.task.commit("own", **{"a.txt": "own\n"})
    return run


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return worked(tmp_path / "run")


def at(run: Run, commit: str) -> None:
    check_out(run.repo.path, place(run).path, commit=commit)


def is_exact(run: Run, *, left: dict[bytes, str] | None = None) -> bool:
    """Whether the worktree has exactly the files of the task's commit, and these ignored ones."""
    there = contents(place(run).path)
    ignored = {path: value for path, value in there.items() if path.endswith(b".log")}
    same = {path: value for path, value in there.items() if path not in ignored} == contents(run.task.path)
    clean = place(run).git("status", "--porcelain") == "" and place(run).head == run.task.head
    return same and clean and set(ignored) == set(left or {})


def test_a_worktree_is_created_with_the_files_of_the_commit_and_no_branch(run: Run) -> None:
    before = users_state(run.repo)

    at(run, run.task.head)

    assert is_exact(run)
    assert place(run).git("symbolic-ref", "-q", "HEAD", check=False) == ""
    assert users_state(run.repo) == before


def test_another_commit_replaces_the_files_and_ignored_ones_stay(run: Run) -> None:
    at(run, run.start)
    place(run).write("build.log", "expensive\n")
    inode = (place(run).path / "src" / "c.txt").stat().st_ino

    at(run, run.task.head)

    assert is_exact(run, left={b"build.log": ""})
    assert (place(run).path / "src" / "c.txt").stat().st_ino == inode
    assert (place(run).path / "build.log").read_text() == "expensive\n"


@pytest.mark.parametrize(
    "damage",
    [
        "edited", "deleted", "untracked", "nested", "staged", "hidden", "skipped", "commit", "branch", "merge",
        "closed", "locked", "link", "sparse", "folder",
    ],
)  # fmt: skip
def test_whatever_a_check_left_is_gone(run: Run, damage: str) -> None:
    at(run, run.task.head)
    repo = place(run)
    if damage == "edited":
        repo.write("a.txt", "edit\n")
    elif damage == "deleted":
        (repo.path / "a.txt").unlink()
    elif damage == "untracked":
        repo.write("left/behind.txt")
    elif damage == "nested":
        repo.at(repo.path / "inner").init().commit(**{"x": "x\n"})
    elif damage == "staged":
        repo.write("a.txt", "staged\n")
        repo.git("add", "-A")
    elif damage == "hidden":
        repo.git("update-index", "--assume-unchanged", "a.txt")
        repo.write("a.txt", "hidden\n")
    elif damage == "skipped":
        repo.git("update-index", "--skip-worktree", "a.txt")
        (repo.path / "a.txt").unlink()
    elif damage == "commit":
        repo.commit("by a check", **{"a.txt": "committed\n"})
    elif damage == "branch":
        repo.git("checkout", "-q", "-b", "of-a-check")
        repo.write("a.txt", "edit\n")
    elif damage == "merge":
        repo.git("merge", "-q", "--no-ff", "--no-commit", run.merge_before(**{"z": "z\n"}))
    elif damage == "closed":
        repo.write("closed/x").parent.chmod(0o500)
    elif damage == "locked":
        for name in ("index.lock", "HEAD.lock"):
            (run.repo.path / ".git" / "worktrees" / "merge" / name).touch()
    elif damage == "link":
        (repo.path / "a.txt").unlink()
        (repo.path / "a.txt").symlink_to("/etc/passwd")
    elif damage == "folder":
        (repo.path / "a.txt").unlink()
        repo.write("a.txt/x")
    else:
        repo.git("sparse-checkout", "set", "--no-cone", "/a.txt")

    at(run, run.task.head)

    assert is_exact(run)


def test_a_branch_of_a_check_does_not_move(run: Run) -> None:
    at(run, run.start)
    place(run).git("checkout", "-q", "-b", "of-a-check")

    at(run, run.task.head)

    assert run.repo.git("rev-parse", "of-a-check").strip() == run.start


@pytest.mark.parametrize(
    "damage", ["gone", "no .git", "no registration", "no index", "other repository", "file", "link"]
)
def test_a_worktree_that_cannot_be_used_is_rebuilt(run: Run, damage: str, tmp_path: Path) -> None:
    at(run, run.start)
    path = place(run).path
    if damage == "gone":
        shutil.rmtree(path)
    elif damage == "no .git":
        (path / ".git").unlink()
    elif damage == "no registration":
        shutil.rmtree(run.repo.path / ".git" / "worktrees" / "merge")
    elif damage == "no index":
        (run.repo.path / ".git" / "worktrees" / "merge" / "index").unlink()
    elif damage == "other repository":
        shutil.rmtree(path)
        run.repo.at(path).init().commit(**{"x": "x\n"})
    else:
        shutil.rmtree(path)
        path.write_text("") if damage == "file" else path.symlink_to(run.task.path)

    at(run, run.task.head)

    assert is_exact(run)
    assert len([each for each in worktrees(run.repo.path) if each.path == path]) == 1
    assert run.task.git("status", "--porcelain") == ""


def test_a_damaged_index_is_rebuilt(run: Run) -> None:
    at(run, run.start)
    (run.repo.path / ".git" / "worktrees" / "merge" / "index").write_bytes(b"not an index")

    at(run, run.task.head)

    assert is_exact(run)


def test_a_fresh_worktree_has_nothing_but_the_commit(run: Run) -> None:
    check_out_fresh(run.repo.path, place(run).path, commit=run.start)
    place(run).write("build.log")

    check_out_fresh(run.repo.path, place(run).path, commit=run.task.head)

    assert is_exact(run)


def test_a_discarded_worktree_is_gone_for_git_too(run: Run) -> None:
    at(run, run.start)
    place(run).write("left/x").parent.chmod(0o500)

    discard(run.repo.path, place(run).path)
    discard(run.repo.path, place(run).path)

    assert not place(run).path.exists()
    assert place(run).path not in [each.path for each in worktrees(run.repo.path)]
    assert sorted(path.name for path in place(run).path.parent.iterdir()) == [".merge.lock"]


def test_a_commit_that_is_not_there_changes_nothing(run: Run) -> None:
    at(run, run.task.head)

    with pytest.raises(CommitMissing):
        at(run, "1" * 40)
    assert is_exact(run)


def test_no_program_of_the_repository_runs(run: Run) -> None:
    run.task.commit("add", **{"x.evil": "stored\n"})
    trace = make_hostile(run.repo)

    at(run, run.start)
    at(run, run.task.head)
    check_out_fresh(run.repo.path, place(run).path, commit=run.task.head)
    discard(run.repo.path, place(run).path)

    assert not trace.exists(), trace.read_text()


def test_two_calls_take_turns(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: at(run, (run.start, run.task.head)[number % 2]), range(4)))
    assert place(run).git("status", "--porcelain") == ""

    monkeypatch.setattr(merge_worktree, "PATIENCE", 0.05)
    holder = os.open(place(run).path.with_name(".merge.lock"), os.O_RDWR)
    fcntl.flock(holder, fcntl.LOCK_EX)
    try:
        with pytest.raises(Conflict):
            at(run, run.start)
    finally:
        os.close(holder)


@pytest.mark.faults
@pytest.mark.parametrize("start", ["nothing", "other commit"])
def test_a_call_that_was_killed_at_any_step_is_repeated(tmp_path: Path, start: str) -> None:
    def prepare(folder: Path) -> Run:
        run = worked(folder)
        if start == "other commit":
            at(run, run.start)
            place(run).write("build.log")
            place(run).write("left.txt")
        return run

    def call(prepared: tuple[Run, dict[str, object]]) -> None:
        at(prepared[0], prepared[0].task.head)

    for run, before in killed(tmp_path, seen(prepare), call):
        call((run, before))
        assert is_exact(run) or is_exact(run, left={b"build.log": ""})
        assert users_state(run.repo) == before
        assert is_sound(run.repo)
