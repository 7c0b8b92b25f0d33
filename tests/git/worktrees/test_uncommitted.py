"""Saving uncommitted work on a branch of its own, without touching the worktree."""

from __future__ import annotations

import pytest

from mission.domain.errors import InvalidState
from mission.git.worktrees.uncommitted import is_reachable, is_saved, save_uncommitted
from mission.git.worktrees.worktree import digest_at, tip_of
from tests.git.real_repositories import Repo, contents

BRANCH = "mission-kept/w_1"


def save(repo: Repo, **copied: str) -> str | None:
    return save_uncommitted(repo.path, name="w_1", copied=copied)


def files_on(repo: Repo, branch: str) -> list[str]:
    return repo.git("ls-tree", "-r", "--name-only", branch).split()


def test_edits_new_files_and_deletions_are_on_the_branch_and_the_tree_stays(repo: Repo) -> None:
    repo.write("a.txt", "changed\n")
    repo.write("new.txt", "new\n")
    (repo.path / "b.txt").unlink()
    before, status = contents(repo.path), repo.git("status", "--porcelain")

    assert save(repo) == BRANCH

    assert files_on(repo, BRANCH) == ["a.txt", "new.txt", "src/c.txt"]
    assert repo.git("show", f"{BRANCH}:a.txt") == "changed\n"
    assert (contents(repo.path), repo.git("status", "--porcelain")) == (before, status)
    assert repo.git("log", "-1", "--format=%an %P", BRANCH).strip() == f"Mission Control {repo.head}"


def test_a_clean_tree_on_a_branch_needs_no_saving(repo: Repo) -> None:
    assert save(repo) is None
    assert tip_of(repo.path, BRANCH) is None
    assert is_saved(repo.path, branch=None, copied={})


def test_an_untouched_copy_is_not_work(repo: Repo) -> None:
    path = repo.write(".env", "KEY=1\n")
    digest = digest_at(path) or ""

    assert save(repo, **{".env": digest}) is None
    path.write_text("KEY=2\n")
    assert save(repo, **{".env": digest}) == BRANCH


def test_saving_the_same_again_makes_no_second_commit_and_an_older_state_stays_in_the_past(repo: Repo) -> None:
    repo.write("new.txt", "one\n")
    save(repo)
    first = tip_of(repo.path, BRANCH)
    save(repo)
    assert tip_of(repo.path, BRANCH) == first

    repo.write("new.txt", "two\n")
    save(repo)
    assert repo.git("show", f"{BRANCH}:new.txt") == "two\n"
    assert repo.git("show", f"{first}:new.txt") == "one\n"
    assert first in repo.git("log", "--format=%H", BRANCH)


def test_work_is_saved_only_as_long_as_it_is_as_it_was(repo: Repo) -> None:
    repo.write("new.txt", "one\n")
    assert not is_saved(repo.path, branch=None, copied={})
    branch = save(repo)
    assert is_saved(repo.path, branch=branch, copied={})

    repo.write("new.txt", "two\n")
    assert not is_saved(repo.path, branch=branch, copied={})
    assert not is_saved(repo.path, branch="missing", copied={})


def test_commits_that_no_branch_holds_are_kept_too(repo: Repo) -> None:
    repo.git("checkout", "-q", "--detach")
    tip = repo.commit("loose")
    assert not is_reachable(repo.path)

    assert save(repo) == BRANCH

    assert tip in repo.git("log", "--format=%H", BRANCH)
    assert is_reachable(repo.path)


def test_names_that_are_not_text_are_saved(repo: Repo) -> None:
    repo.write(b"caf\xe9.txt", "x")

    save(repo)

    assert '"caf\\351.txt"' in files_on(repo, BRANCH)


def test_a_repository_inside_the_tree_cannot_be_saved_with_it(repo: Repo) -> None:
    repo.at(repo.path / "inner").init().commit("x", **{"x.txt": "x"})

    with pytest.raises(InvalidState) as refused:
        save(repo)

    assert refused.value.details == {"files": ["inner/"]}
    assert tip_of(repo.path, BRANCH) is None


def test_a_link_that_leads_nowhere_is_work_too(repo: Repo) -> None:
    (repo.path / "dangling").symlink_to("nowhere")

    assert save(repo) == BRANCH

    assert "dangling" in files_on(repo, BRANCH)
