"""The content of a worktree on its way into a copy of its index; more in test_candidate_commit.py."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mission.git.integration.errors import NotCommittable
from mission.git.integration.files.index_lock import LockedIndex, locked_index
from mission.git.integration.files.staging import Staging
from mission.git.integration.own_git_directory import OwnGitDirectory, own_git_directory
from tests.git.real_repositories import Repo

Place = tuple[OwnGitDirectory, LockedIndex]


@pytest.fixture
def place(repo: Repo) -> Iterator[Place]:
    with own_git_directory(repo.path) as own, locked_index(repo.path / ".git", worktree=repo.path, ours=True) as index:
        yield own, index


def listed(repo: Repo, tree: str) -> list[str]:
    return repo.git("ls-tree", "-r", "--name-only", tree).split()


def test_changed_new_and_nested_paths_are_told_apart(repo: Repo, place: Place) -> None:
    repo.write("a.txt", "changed\n")
    repo.write("new.txt")
    (repo.path / "b.txt").unlink()
    repo.at(repo.path / "inner").init().commit(**{"x": "x\n"})

    content = Staging(*place, copied=["copied.txt"]).content

    assert content.changed == {b"a.txt", b"b.txt", b"new.txt"}
    assert (content.nested, content.unmerged) == ({b"inner/"}, frozenset())


def test_only_the_given_paths_are_added(repo: Repo, place: Place) -> None:
    repo.write("a.txt", "changed\n")
    repo.write("new.txt")
    (repo.path / "b.txt").unlink()
    staging = Staging(*place)

    staging.add([b"b.txt", b"new.txt"])
    tree = staging.tree()

    assert listed(repo, tree) == ["a.txt", "new.txt", "src/c.txt"]
    assert repo.git("show", f"{tree}:a.txt") == "a\n"


def test_a_copied_file_counts_only_while_a_commit_has_it(repo: Repo, place: Place) -> None:
    repo.write("copied.txt", "untracked\n")
    repo.write("a.txt", "tracked and edited\n")

    assert Staging(*place, copied=["copied.txt", "a.txt"]).content.changed == {b"a.txt"}


def test_a_reset_gives_the_index_the_content_of_a_commit_and_no_file_changes(repo: Repo, place: Place) -> None:
    head = repo.head
    repo.write("a.txt", "changed\n")
    staging = Staging(*place)
    staging.add([b"a.txt"])

    staging.reset(head)

    assert staging.tree() == repo.git("rev-parse", f"{head}^{{tree}}").strip()
    assert (repo.path / "a.txt").read_text() == "changed\n"


def test_a_file_that_cannot_be_read_is_named(repo: Repo, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.write("secret.txt").chmod(0)
    staging = Staging(*place)
    monkeypatch.setattr(staging.disk, "is_readable", lambda path: path != b"secret.txt")  # root reads everything
    monkeypatch.setattr("mission.git.integration.files.staging.Filters.kinds", lambda *_: {})
    repo.write("sub/.git", "gitdir: /nowhere\n")

    with pytest.raises(NotCommittable) as refused:
        staging.add([b"secret.txt", b"sub"])
    assert refused.value.details["paths"] == ["secret.txt"]
