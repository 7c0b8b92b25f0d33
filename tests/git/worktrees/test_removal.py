"""Removing worktrees: nothing that only they hold is lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mission.domain.errors import InvalidInput, InvalidState
from mission.git.worktrees import removal
from mission.git.worktrees.removal import WorktreeToRemove, keep_uncommitted, remove_worktree, verify_merge
from mission.git.worktrees.worktree import add, digest_at, folder_for, tip_of, worktrees
from tests.git.real_repositories import Repo


@pytest.fixture
def side(repo: Repo, tmp_path: Path) -> Repo:
    repo.commit("ignore", **{".gitignore": "*.log\n.env\n"})
    add(repo.path, tmp_path / "side", branch="side", commit=repo.head)
    return repo.at(tmp_path / "side")


@pytest.fixture
def worktree(repo: Repo, side: Repo) -> WorktreeToRemove:
    return WorktreeToRemove(top=repo.path, path=side.path, branch="side", copied={})


def refused(worktree: WorktreeToRemove, **options: object) -> InvalidState:
    with pytest.raises(InvalidState) as caught:
        remove_worktree(worktree, **{"kept": None, "with_branch": False, **options})  # type: ignore[arg-type]
    assert worktree.path.exists()
    return caught.value


def test_a_clean_worktree_goes_and_its_branch_stays_unless_asked(repo: Repo, worktree: WorktreeToRemove) -> None:
    remove_worktree(worktree, kept=None, with_branch=False)

    assert not worktree.exists
    assert list(worktree.path.parent.glob(".side*")) == []
    assert len(worktrees(repo.path)) == 1
    assert tip_of(repo.path, "side") == repo.head
    remove_worktree(worktree, kept=None, with_branch=True)
    assert tip_of(repo.path, "side") is None


def test_the_last_worktree_takes_our_folder_for_the_repository_with_it(repo: Repo, tmp_path: Path) -> None:
    folder = tmp_path / folder_for(repo.path)
    paths = [folder / name for name in ("one", "two")]
    for path in paths:
        add(repo.path, path, branch=path.name, commit=repo.head)

    for path, is_left in zip(paths, (True, False), strict=True):
        remove_worktree(
            WorktreeToRemove(top=repo.path, path=path, branch=path.name, copied={}), kept=None, with_branch=True
        )
        assert folder.exists() is is_left


def test_uncommitted_files_stop_the_removal_by_name_until_they_are_saved(
    repo: Repo, side: Repo, worktree: WorktreeToRemove
) -> None:
    side.write("new.txt")
    side.write("noise.log")
    assert refused(worktree).details == {"files": ["new.txt"]}

    kept = keep_uncommitted(worktree, name="w_1")
    remove_worktree(worktree, kept=kept, with_branch=False)

    assert kept is not None
    assert repo.git("show", f"{kept}:new.txt") == "text\n"
    assert not worktree.path.exists()


def test_what_was_saved_before_the_last_edit_does_not_count(side: Repo, worktree: WorktreeToRemove) -> None:
    side.write("new.txt", "one\n")
    kept = keep_uncommitted(worktree, name="w_1")
    side.write("new.txt", "two\n")

    assert refused(worktree, kept=kept).details == {"files": ["new.txt"]}


def test_commits_that_no_branch_holds_stop_the_removal(side: Repo, worktree: WorktreeToRemove) -> None:
    side.git("checkout", "-q", "--detach")
    side.commit("loose")

    assert refused(worktree).hint
    remove_worktree(worktree, kept=keep_uncommitted(worktree, name="w_1"), with_branch=False)


def test_a_branch_with_work_that_nothing_else_holds_is_not_deleted(
    repo: Repo, side: Repo, worktree: WorktreeToRemove
) -> None:
    side.commit("work", **{"new.txt": "n\n"})

    assert refused(worktree, with_branch=True).details == {"files": ["new.txt"]}

    repo.git("merge", "-q", "side")
    remove_worktree(worktree, kept=None, with_branch=True)
    assert tip_of(repo.path, "side") is None


def test_an_ignored_copy_that_was_edited_stops_the_removal(repo: Repo, side: Repo) -> None:
    path = side.write(".env", "KEY=1\n")
    worktree = WorktreeToRemove(top=repo.path, path=side.path, branch="side", copied={".env": digest_at(path) or ""})
    path.write_text("KEY=2\n")

    assert refused(worktree).details == {"files": [".env"]}

    path.unlink()
    remove_worktree(worktree, kept=None, with_branch=False)


def test_a_locked_worktree_and_the_repository_itself_stay(repo: Repo, worktree: WorktreeToRemove) -> None:
    repo.git("worktree", "lock", str(worktree.path))
    refused(worktree)
    repo.git("worktree", "unlock", str(worktree.path))

    refused(WorktreeToRemove(top=repo.path, path=repo.path, branch="main", copied={}))
    remove_worktree(worktree, kept=None, with_branch=False)


def test_a_worktree_that_git_does_not_know_stays(repo: Repo, worktree: WorktreeToRemove, tmp_path: Path) -> None:
    other = repo.at(tmp_path / "other").init()
    other.commit("x", **{"x": "x"})

    refused(WorktreeToRemove(top=repo.path, path=other.path, branch="main", copied={}))


def test_a_removal_that_was_cut_short_is_finished(repo: Repo, worktree: WorktreeToRemove) -> None:
    worktree.path.rename(worktree.path.with_name(".side.removing"))

    remove_worktree(worktree, kept=None, with_branch=True)

    assert not worktree.path.with_name(".side.removing").exists()
    assert len(worktrees(repo.path)) == 1
    assert tip_of(repo.path, "side") is None


def test_a_worktree_that_is_gone_has_nothing_to_save(worktree: WorktreeToRemove) -> None:
    remove_worktree(worktree, kept=None, with_branch=False)

    assert keep_uncommitted(worktree, name="w_1") is None


def test_a_merge_is_verified_against_branch_worktree_and_uncommitted_files(
    repo: Repo, side: Repo, worktree: WorktreeToRemove
) -> None:
    side.commit("work", **{"new.txt": "n\n"})
    with pytest.raises(InvalidState):
        verify_merge(worktree, repo.head)
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "side")
    assert verify_merge(worktree, repo.head[:10]) == repo.head

    side.write("late.txt")
    with pytest.raises(InvalidState) as caught:
        verify_merge(worktree, repo.head)
    assert caught.value.details == {"files": ["late.txt"]}
    with pytest.raises(InvalidInput):
        verify_merge(worktree, "main")


def test_without_branch_and_worktree_nothing_proves_a_merge(repo: Repo, worktree: WorktreeToRemove) -> None:
    remove_worktree(worktree, kept=None, with_branch=True)

    with pytest.raises(InvalidState):
        verify_merge(worktree, repo.head)


def test_a_file_written_at_the_last_moment_brings_the_worktree_back(
    repo: Repo, side: Repo, worktree: WorktreeToRemove, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = removal.is_saved

    def written_between(path: Path, **options: Any) -> bool:
        if path != worktree.path:
            (path / "late.txt").write_text("late\n")
        return look(path, **options)

    monkeypatch.setattr(removal, "is_saved", written_between)

    assert refused(worktree).details == {"files": ["late.txt"]}
    assert (side.path / "late.txt").read_text() == "late\n"
    assert side.git("status", "--porcelain").split() == ["??", "late.txt"]
    assert len(worktrees(repo.path)) == 2
