"""Moving branches, and who uses one."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from mission.domain.errors import InvalidInput, TransientError
from mission.git.errors import GitKilled
from mission.git.integration import branch_refs
from mission.git.integration.branch_refs import (
    check_no_operation,
    check_ours,
    move_branch,
    operation_in_progress,
    uses_of,
)
from mission.git.integration.errors import CommitMissing, OperationInProgress, OtherBranch
from tests.git.integration.run_repositories import BRANCH, TASK, Run, make_hostile


def git_dir(repo: Run | Path) -> Path:
    path = repo.task.path if isinstance(repo, Run) else repo
    found = (path / ".git").read_text().removeprefix("gitdir: ").strip() if (path / ".git").is_file() else path / ".git"
    return Path(found)


def used(run: Run, branch: str) -> list[tuple[str, str | None]]:
    return [(use.worktree.name, use.operation) for use in uses_of(run.repo.path, branch)]


def test_a_branch_moves_only_from_where_it_was(run: Run) -> None:
    new = run.task.commit("own", **{"a.txt": "own\n"})
    move = {"new": new, "why": "test"}

    assert not move_branch(run.repo.path, BRANCH, old=new, **{**move, "new": "1" * 40})
    assert move_branch(run.repo.path, BRANCH, old=run.start, **move)
    assert move_branch(run.repo.path, BRANCH, old=run.start, **move)
    assert not move_branch(run.repo.path, BRANCH, old=None, new=run.start, why="test")
    assert run.tip == new
    assert run.repo.git("log", "-g", "-1", "--format=%gs", BRANCH).strip() == "mission: test"


@pytest.mark.parametrize("has_moved", [True, False])
def test_a_git_that_is_killed_has_moved_the_branch_or_not(
    run: Run, monkeypatch: pytest.MonkeyPatch, has_moved: bool
) -> None:
    new = run.task.commit("own", **{"a.txt": "own\n"})
    move = branch_refs.run

    def killed(*arguments: str, **options: Any) -> None:
        if has_moved:
            move(*arguments, **options)
        raise GitKilled(command="update-ref")

    monkeypatch.setattr(branch_refs, "run", killed)

    with nullcontext() if has_moved else pytest.raises(GitKilled):
        assert move_branch(run.repo.path, BRANCH, new=new, old=run.start, why="test")
    assert run.tip == (new if has_moved else run.start)


def test_a_commit_that_is_not_there_is_an_error(run: Run) -> None:
    with pytest.raises(CommitMissing):
        move_branch(run.repo.path, BRANCH, new="1" * 40, old=run.start, why="test")


def test_of_many_at_once_exactly_one_wins(run: Run) -> None:
    commits = [run.task.commit(f"{number}", **{"a.txt": f"{number}\n"}) for number in range(6)]
    with ThreadPoolExecutor(6) as pool:
        won = list(
            pool.map(lambda new: move_branch(run.repo.path, BRANCH, new=new, old=run.start, why="race"), commits)
        )

    assert won.count(True) == 1
    assert run.tip == commits[won.index(True)]


def test_no_hook_runs(run: Run) -> None:
    new = run.task.commit("own", **{"a.txt": "own\n"})
    trace = make_hostile(run.repo)

    assert move_branch(run.repo.path, BRANCH, new=new, old=run.start, why="test")
    assert not trace.exists()


def test_a_lock_of_another_git_is_waited_for(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(branch_refs, "PATIENCE", 0.1)
    new = run.task.commit("own", **{"a.txt": "own\n"})
    lock = run.repo.path / ".git" / "refs" / "heads" / f"{BRANCH}.lock"
    lock.touch()

    with pytest.raises(TransientError):
        move_branch(run.repo.path, BRANCH, new=new, old=run.start, why="test")
    os.utime(lock, (1, 1))
    assert move_branch(run.repo.path, BRANCH, new=new, old=run.start, why="test")


def test_a_lock_on_a_branch_of_the_user_is_never_removed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(branch_refs, "PATIENCE", 0.1)
    run.repo.git("branch", "users")
    lock = run.repo.path / ".git" / "refs" / "heads" / "users.lock"
    lock.touch()
    os.utime(lock, (1, 1))
    new = run.task.commit("own", **{"a.txt": "own\n"})

    with pytest.raises(TransientError):
        move_branch(run.repo.path, "users", new=new, old=run.start, why="test")
    assert lock.exists()


def test_only_branches_below_mission_are_ours(run: Run) -> None:
    check_ours(BRANCH)
    for name in ("main", "mission", "missions/x", "refs/heads/mission/x", "-x"):
        with pytest.raises(OtherBranch):
            check_ours(name)
    with pytest.raises(InvalidInput):
        check_ours("mission/..")


def test_a_branch_is_used_where_it_is_checked_out(run: Run) -> None:
    assert used(run, "main") == [("repo", None)]
    assert used(run, TASK) == [("task", None)]
    assert used(run, BRANCH) == []


def test_a_worktree_that_is_gone_uses_nothing(run: Run) -> None:
    run.task.path.rename(run.task.path.with_name("elsewhere"))

    assert used(run, TASK) == []


def test_a_branch_is_used_while_it_is_rebased(run: Run) -> None:
    run.task.commit("own", **{"a.txt": "own\n"})
    other = run.merge_before(**{"a.txt": "other\n"})
    run.task.git("rebase", "-q", other, check=False)

    assert used(run, TASK) == [("task", "rebase")]


def test_a_branch_that_a_rebase_takes_along_is_used(run: Run) -> None:
    run.task.commit("one", **{"b.txt": "one\n"})
    run.repo.git("branch", "stacked", TASK)
    run.task.commit("two", **{"a.txt": "two\n"})
    other = run.merge_before(**{"a.txt": "other\n"})
    run.task.git("rebase", "-q", "--update-refs", other, check=False)

    assert used(run, "stacked") == [("task", "rebase")]


def test_a_branch_is_used_while_it_is_bisected(run: Run) -> None:
    run.task.commit("one", **{"b.txt": "one\n"})
    run.task.commit("two", **{"b.txt": "two\n"})
    run.task.git("bisect", "start", "HEAD", "HEAD~2")

    assert used(run, TASK) == [("task", "bisect")]
    run.task.git("bisect", "reset")
    assert used(run, TASK) == [("task", None)]


@pytest.mark.parametrize(
    ("command", "operation"),
    [
        (("merge", "--no-commit", "{other}"), "merge"),
        (("rebase", "{other}"), "rebase"),
        (("rebase", "--apply", "{other}"), "rebase"),
        (("cherry-pick", "{other}"), "cherry-pick"),
        (("revert", "--no-edit", "HEAD~1"), "revert"),
        (("bisect", "start"), "bisect"),
    ],
)
def test_an_operation_in_progress_has_a_name(run: Run, command: tuple[str, ...], operation: str) -> None:
    assert operation_in_progress(run.task.path, git_dir(run)) is None
    run.task.commit("one", **{"a.txt": "one\n"})
    run.task.commit("two", **{"a.txt": "two\n"})
    other = run.merge_before(**{"a.txt": "other\n"})
    run.task.git(*(word.format(other=other) for word in command), check=False)

    assert operation_in_progress(run.task.path, git_dir(run)) == operation
    with pytest.raises(OperationInProgress) as refused:
        check_no_operation(run.task.path, git_dir(run))
    assert refused.value.details["operation"] == operation
    assert str(run.task.path) in refused.value.message


def test_a_sequence_between_two_picks_is_in_progress(run: Run) -> None:
    (git_dir(run) / "sequencer").mkdir()
    (git_dir(run) / "sequencer" / "todo").write_text("revert 1234 x\n")

    assert operation_in_progress(run.task.path, git_dir(run)) == "revert"
