"""Updating the files of a worktree from one tree to another; more in test_landing.py."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mission.git.integration.errors import NotOurFilter, PathsInTheWay
from mission.git.integration.files.index_lock import locked_index
from mission.git.integration.files.worktree_update import Obstacles, WorktreeUpdate
from mission.git.integration.own_git_directory import own_git_directory
from tests.git.real_repositories import Repo


@contextmanager
def updating(repo: Repo, old: str, new: str) -> Iterator[WorktreeUpdate]:
    with own_git_directory(repo.path) as own, locked_index(repo.path / ".git", worktree=repo.path, ours=True) as index:
        yield WorktreeUpdate(own, index, old=old, new=new)
        index.install()


@pytest.fixture
def trees(repo: Repo) -> tuple[str, str]:
    """The commit that is checked out, and one that changes, adds and deletes."""
    old = repo.head
    (repo.path / "b.txt").unlink()
    new = repo.commit("new", **{"a.txt": "new\n", "added/x.txt": "x\n"})
    repo.git("reset", "-q", "--hard", old)
    return old, new


def update(repo: Repo, trees: tuple[str, str]) -> None:
    with updating(repo, *trees) as work:
        obstacles = work.obstacles()
        work.check(obstacles, command="git merge")
        work.write(obstacles)


def test_a_clean_worktree_gets_the_new_files_and_index(repo: Repo, trees: tuple[str, str]) -> None:
    update(repo, trees)

    assert repo.git("diff", "--stat", trees[1]) == ""
    assert repo.git("status", "--porcelain") == "M  a.txt\nA  added/x.txt\nD  b.txt\n"


def test_equal_trees_have_no_obstacles(repo: Repo) -> None:
    repo.write("a.txt", "edited\n")
    with updating(repo, repo.head, repo.head) as work:
        assert work.obstacles() == Obstacles()


def test_obstacles_are_sorted_by_what_they_are(repo: Repo, trees: tuple[str, str]) -> None:
    repo.write("a.txt", "edited\n")
    repo.write("added/x.txt", "untracked\n")
    (repo.path / "b.txt").unlink()

    with updating(repo, *trees) as work:
        found = work.obstacles()

    assert (found.edited, found.untracked, found.done) == ({b"a.txt"}, {b"added/x.txt"}, {b"b.txt": None})
    assert found.in_the_way == {b"a.txt", b"added/x.txt"}


def test_a_file_that_was_only_touched_is_not_in_the_way(repo: Repo, trees: tuple[str, str]) -> None:
    (repo.path / "a.txt").touch()

    update(repo, trees)

    assert (repo.path / "a.txt").read_text() == "new\n"


def test_git_has_the_last_word_about_what_is_in_the_way(repo: Repo, trees: tuple[str, str]) -> None:
    repo.write("a.txt", "edited after we looked\n")
    with updating(repo, *trees) as work, pytest.raises(PathsInTheWay) as refused:
        work.write(Obstacles())

    assert refused.value.details["paths"] == ["a.txt"]
    assert (repo.path / "a.txt").read_text() == "edited after we looked\n"


def test_an_edit_of_a_path_that_is_settled_in_the_index_stays(repo: Repo, trees: tuple[str, str]) -> None:
    update(repo, trees)
    repo.write("a.txt", "edited\n")

    update(repo, trees)

    assert (repo.path / "a.txt").read_text() == "edited\n"


def lfs(repo: Repo, content: str) -> str:
    oid = hashlib.sha256(content.encode()).hexdigest()
    return f"version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize {len(content)}\n"


def test_a_file_of_lfs_that_has_its_new_content_is_done(repo: Repo) -> None:
    old = repo.commit("old", **{".gitattributes": "*.bin filter=lfs\n", "x.bin": lfs(repo, "old\n")})
    new = repo.commit("new", **{"x.bin": lfs(repo, "new\n")})
    repo.git("reset", "-q", "--hard", old)
    repo.write("x.bin", "new\n")

    with updating(repo, old, new) as work:
        assert set(work.obstacles().done) == {b"x.bin"}
    repo.write("x.bin", "other\n")
    with updating(repo, old, new) as work:
        assert work.obstacles().edited == {b"x.bin"}


@pytest.mark.parametrize("driver", ["crypt", "lfs"])
def test_files_that_only_a_filter_of_the_repository_can_write_are_named(repo: Repo, driver: str) -> None:
    old = repo.commit("old", **{".gitattributes": f"*.enc filter={driver}\n"})
    new = repo.commit("new", **{"x.enc": "stored\n"})
    repo.git("reset", "-q", "--hard", old)
    repo.git("config", f"filter.{driver}.smudge", "git-lfs smudge -- %f")

    with updating(repo, old, new) as work, pytest.raises(NotOurFilter) as refused:
        work.check(work.obstacles(), command="git merge")
    assert refused.value.details["paths"] == ["x.enc"]


def test_a_filter_of_the_user_writes_the_files(repo: Repo, home: Path) -> None:
    (home / ".gitconfig").write_text('[filter "upper"]\n\tsmudge = tr a-z A-Z\n\tclean = tr A-Z a-z\n')
    old = repo.commit("old", **{".gitattributes": "*.up filter=upper\n"})
    new = repo.commit("new", **{"x.up": "text\n"})
    repo.git("reset", "-q", "--hard", old)

    update(repo, (old, new))

    assert (repo.path / "x.up").read_text() == "TEXT\n"
