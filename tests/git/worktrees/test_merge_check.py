"""Whether work is merged: by ancestry, and by a ref other than its own branch."""

from __future__ import annotations

import pytest

from mission.domain.errors import InvalidInput, InvalidState
from mission.git.worktrees.merge_check import (
    KEPT_PREFIX,
    branch_files,
    check_merged,
    contains,
    merge_commit,
    refs_keeping,
    unmerged,
)
from tests.git.real_repositories import Repo


@pytest.fixture
def work(repo: Repo) -> str:
    """A commit on the branch 'work' that main lacks."""
    repo.git("checkout", "-q", "-b", "work")
    tip = repo.commit("work", **{"new.txt": "n\n", "src/c.txt": "changed\n"})
    repo.git("checkout", "-q", "main")
    return tip


def test_a_commit_is_named_by_its_id_short_or_whole(repo: Repo) -> None:
    assert merge_commit(repo.path, repo.head) == merge_commit(repo.path, repo.head[:8].upper()) == repo.head


@pytest.mark.parametrize("given", ["", "main", "HEAD", "--all", "0" * 40, "deadbeef", "123456", "g" * 40])
def test_what_names_no_commit_is_refused(repo: Repo, given: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        merge_commit(repo.path, given)

    assert refused.value.details == {"field": "merge_commit"}


def test_a_commit_contains_itself_and_its_past(repo: Repo, work: str) -> None:
    assert contains(repo.path, work, tip=repo.head)
    assert contains(repo.path, work, tip=work)
    assert not contains(repo.path, repo.head, tip=work)
    assert not contains(repo.path, "0" * 40, tip=work)


def test_branches_are_unmerged_while_the_target_lacks_their_commits(repo: Repo, work: str) -> None:
    branches = {"t_1": "work", "t_2": "main", "t_3": "missing"}

    assert unmerged(repo.path, branches, into="main") == ["t_1"]
    assert unmerged(repo.path, branches, into="missing") == []
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "work")
    assert unmerged(repo.path, branches, into="main") == []


def test_a_branch_its_copies_and_saved_work_do_not_keep_a_commit(repo: Repo, work: str) -> None:
    repo.git("update-ref", "refs/remotes/origin/work", work)
    repo.git("branch", f"{KEPT_PREFIX}w_1", "work")
    assert refs_keeping(repo.path, work, branch="work") == []

    repo.git("tag", "v1", "work")
    repo.git("update-ref", "refs/remotes/origin/other", work)
    assert sorted(refs_keeping(repo.path, work, branch="work")) == ["refs/remotes/origin/other", "refs/tags/v1"]


def test_a_merge_holds_all_of_the_work_and_is_on_another_branch(repo: Repo, work: str) -> None:
    with pytest.raises(InvalidState, match="work"):
        check_merged(repo.path, branch="work", commit=repo.head, tips=[work])
    with pytest.raises(InvalidState):
        check_merged(repo.path, branch="work", commit=work, tips=[work])

    repo.git("merge", "-q", "--no-ff", "-m", "merge", "work")
    check_merged(repo.path, branch="work", commit=repo.head, tips=[work])


def test_the_commits_that_a_merge_lacks_are_named_and_then_counted(repo: Repo, work: str) -> None:
    repo.git("checkout", "-q", "work")
    for number in range(6):
        tip = repo.commit(f"step {number}")

    with pytest.raises(InvalidState) as refused:
        check_merged(repo.path, branch="work", commit=repo.git("rev-parse", "main").strip(), tips=[tip])

    assert "step 5" in refused.value.message
    assert "step 0" not in refused.value.message
    assert "more" in refused.value.message


def test_the_files_of_commits_that_only_one_branch_holds(repo: Repo, work: str) -> None:
    assert branch_files(repo.path, "work") == ["new.txt", "src/c.txt"]

    repo.git("tag", "v1", "work")
    assert branch_files(repo.path, "work") == []
