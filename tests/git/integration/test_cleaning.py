"""Removing worktrees and branches of a run that has landed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from mission.git.errors import GitKilled
from mission.git.integration import cleaning
from mission.git.integration.cleaning import Cleaned, KeptWork, clean
from mission.git.integration.errors import OtherBranch
from mission.git.integration.merge_commit import squash_commit
from mission.git.worktrees.removal import WorktreeToRemove
from tests.git.integration.run_repositories import (
    BRANCH,
    TASK,
    Run,
    details,
    is_sound,
    killed,
    make_hostile,
    seen,
    start_run,
    users_state,
)


def worked(folder: Path) -> Run:
    """A run that has landed on the branch 'done'."""
    run = start_run(folder)
    own = run.task.commit("own", **{"a.txt": "own\n"})
    run.repo.git("update-ref", f"refs/heads/{BRANCH}", own)
    run.repo.git("branch", "done", own)
    return run


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return worked(tmp_path / "run")


def task(run: Run) -> WorktreeToRemove:
    return WorktreeToRemove(top=run.repo.path, path=run.task.path, branch=TASK, copied={})


def cleaned(run: Run, *, landed: str = "done", branches: Sequence[str] = (TASK, BRANCH)) -> Cleaned:
    landed = run.repo.git("rev-parse", landed).strip()
    return clean(run.repo.path, landed=landed, tip=run.tip or landed, worktrees=[task(run)], branches=branches)


def branches(run: Run) -> set[str]:
    return set(run.repo.git("for-each-ref", "--format=%(refname:short)", "refs/heads").split())


@pytest.mark.parametrize("name", ["remove_worktree", "delete_branch"])
def test_nothing_is_kept_because_git_was_killed(run: Run, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    def killed_git(*_: object, **__: object) -> None:
        raise GitKilled(command="worktree")

    with monkeypatch.context() as patched:
        patched.setattr(cleaning, name, killed_git)
        with pytest.raises(GitKilled):
            cleaned(run)

    assert cleaned(run).kept == []
    assert branches(run) == {"main", "done"}


def test_what_has_landed_is_removed(run: Run) -> None:
    before = users_state(run.repo)

    assert cleaned(run) == Cleaned(worktrees=[str(run.task.path)], branches=[TASK, BRANCH])

    assert branches(run) == {"main", "done"}
    assert not run.task.path.exists()
    assert users_state(run.repo) == before
    assert is_sound(run.repo)


def test_work_that_has_not_landed_is_kept_and_named(run: Run) -> None:
    last = run.task.commit("after landing", **{"a.txt": "more\n"})
    landed = run.repo.git("rev-parse", "done").strip()

    done = cleaned(run)

    reason = f"its commit {last[:12]} is not contained in {landed[:12]}"
    assert done.kept[0] == KeptWork(name=str(run.task.path), reason=reason)
    assert [each.name for each in done.kept] == [str(run.task.path), TASK]
    assert done.branches == [BRANCH]
    assert run.task.path.exists()


def test_uncommitted_files_keep_the_worktree_and_its_branch(run: Run) -> None:
    run.task.write("precious.txt")

    done = cleaned(run)

    assert "precious.txt" in done.kept[0].reason
    assert done.kept[1] == KeptWork(name=TASK, reason=f"it is used in {run.task.path}")
    assert (run.task.path / "precious.txt").exists()


def test_a_commit_that_only_the_worktree_has_checked_out_is_kept(run: Run) -> None:
    run.task.git("checkout", "-q", "--detach")
    run.task.commit("detached", **{"a.txt": "detached\n"})

    assert cleaned(run).kept[0].name == str(run.task.path)


def test_nothing_is_removed_before_it_landed_outside_the_run(run: Run) -> None:
    run.repo.git("branch", "-D", "done")

    done = cleaned(run, landed=BRANCH)

    assert (done.worktrees, done.branches) == ([], [])
    assert {each.reason for each in done.kept[:1]} == {
        f"commit {run.tip[:12]} is on no branch or tag outside 'mission/'"
    }
    assert branches(run) == {"main", BRANCH, TASK}


def test_a_squash_contains_the_work_of_the_tip_it_was_made_from(run: Run) -> None:
    squashed = squash_commit(run.repo.path, target=run.start, commit=run.tip, details=details())
    run.repo.git("update-ref", "refs/heads/done", squashed)

    assert cleaned(run).branches == [TASK, BRANCH]


def test_a_squash_of_other_content_contains_nothing(run: Run) -> None:
    squashed = squash_commit(run.repo.path, target=run.start, commit=run.start, details=details())
    run.repo.git("update-ref", "refs/heads/done", squashed)

    assert cleaned(run).branches == []


def test_a_branch_that_somebody_looks_at_is_kept(run: Run) -> None:
    run.repo.git("stash", "push", "-q", "-u")
    run.repo.git("checkout", "-q", BRANCH)

    assert cleaned(run).kept == [KeptWork(name=BRANCH, reason=f"it is used in {run.repo.path}")]


def test_branches_of_others_are_refused_before_anything_is_removed(run: Run) -> None:
    with pytest.raises(OtherBranch):
        cleaned(run, branches=[TASK, "main"])
    assert run.task.path.exists()


def test_no_program_of_the_repository_runs(run: Run) -> None:
    trace = make_hostile(run.repo)

    assert cleaned(run).branches == [TASK, BRANCH]
    assert not trace.exists(), trace.read_text()


@pytest.mark.faults
def test_a_call_that_was_killed_at_any_step_is_repeated(tmp_path: Path) -> None:
    def call(run: Run) -> None:
        landed = run.repo.git("rev-parse", "done").strip()
        clean(run.repo.path, landed=landed, tip=landed, worktrees=[task(run)], branches=[TASK, BRANCH])

    for run, before in killed(tmp_path, seen(worked), lambda prepared: call(prepared[0])):
        call(run)
        assert branches(run) == {"main", "done"}
        assert not run.task.path.exists()
        assert users_state(run.repo) == before
        assert "task" not in run.repo.git("worktree", "list")
