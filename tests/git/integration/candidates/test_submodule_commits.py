"""Submodules may move only to commits that their remote has; more in test_candidate_commit.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from mission.git.integration.candidates.submodule_commits import check_published
from mission.git.integration.errors import Unpublished
from mission.git.snapshots.manifest import Difference, entry
from tests.git.real_repositories import Repo


@pytest.fixture
def sub(repo: Repo, tmp_path: Path) -> Repo:
    remote = repo.at(tmp_path / "remote").init()
    remote.commit(**{"x": "1\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(remote.path), "sub")
    return repo.at(repo.path / "sub")


def moved_to(commit: str | None, path: bytes = b"sub") -> list[Difference]:
    return [Difference(path=path, old=None, new=entry(b"160000", commit) if commit else None)]


def test_a_commit_of_the_remote_is_published(repo: Repo, sub: Repo) -> None:
    check_published(repo.path, moved_to(sub.head))


def test_files_and_removed_submodules_do_not_count(repo: Repo) -> None:
    check_published(repo.path, [*moved_to(None), Difference(path=b"a", old=None, new=entry(b"100644", "1" * 40))])


def test_a_commit_that_only_a_local_branch_has_is_not_published(repo: Repo, sub: Repo) -> None:
    commit = sub.commit("only here")

    with pytest.raises(Unpublished):
        check_published(repo.path, moved_to(commit))


@pytest.mark.parametrize("damage", ["unknown commit", "not checked out", "link", "plain folder", "broken"])
def test_what_cannot_be_verified_is_not_published(repo: Repo, sub: Repo, damage: str, tmp_path: Path) -> None:
    commit, path = sub.head, b"sub"
    if damage == "unknown commit":
        commit = "1" * 40
    elif damage == "not checked out":
        (sub.path / ".git").unlink()
    elif damage == "link":
        (repo.path / "linked").symlink_to(sub.path)
        path = b"linked"
    elif damage == "plain folder":
        path = b"src"
    else:
        (sub.path / ".git").unlink()
        (sub.path / ".git").write_text("gitdir: nowhere\n")

    with pytest.raises(Unpublished):
        check_published(repo.path, moved_to(commit, path))
