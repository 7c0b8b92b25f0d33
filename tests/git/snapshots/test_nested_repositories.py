"""Repositories inside of a tree: submodules, strangers, and worktrees of its own."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.git.real_repositories import Repo, lists


def test_a_submodule_counts_as_one_path(repo: Repo, tmp_path: Path) -> None:
    library = repo.at(tmp_path / "library").init()
    library.commit(**{"l.txt": "l\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library.path), "lib")
    repo.commit("with a library")
    inside = repo.at(repo.path / "lib")
    snapshot = repo.take()
    assert lists(repo.changes(snapshot)) == {}

    inside.write("l.txt", "edited\n")
    dirty = repo.take()
    assert lists(repo.changes(snapshot)) == {"modified": ["lib"]}

    inside.write("l.txt", "edited more\n")
    assert lists(repo.changes(dirty)) == {"modified": ["lib"]}
    inside.write("l.txt", "l\n")
    assert lists(repo.changes(snapshot)) == {}

    inside.write("l.txt", "edited\n")
    inside.commit("in the library")
    assert lists(repo.changes(snapshot)) == {"modified": ["lib"]}
    repo.commit("with the newer library")
    assert lists(repo.changes(snapshot)) == {"modified": ["lib"]}


def test_checking_out_a_submodule_changes_nothing_but_removing_it_does(repo: Repo, tmp_path: Path) -> None:
    library = repo.at(tmp_path / "library").init()
    library.commit(**{"l.txt": "l\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library.path), "lib")
    repo.commit("with a library")
    repo.git("submodule", "--quiet", "deinit", "-f", "lib")
    snapshot = repo.take()

    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init")
    assert lists(repo.changes(snapshot)) == {}
    shutil.rmtree(repo.path / "lib")
    assert lists(repo.changes(snapshot)) == {"deleted": ["lib"]}
    repo.write("lib", "a file\n")
    assert lists(repo.changes(snapshot)) == {"modified": ["lib"]}


def test_a_repository_that_merely_lies_in_the_tree_counts_as_one_path(repo: Repo) -> None:
    snapshot = repo.take()
    nested = repo.at(repo.path / "tools" / "nested").init()
    nested.write("n.txt", "n\n")
    assert lists(repo.changes(snapshot)) == {"added": ["tools/nested"]}

    between = repo.take()
    nested.write("n.txt", "changed\n")
    assert lists(repo.changes(between)) == {"modified": ["tools/nested"]}
    nested.write("n.txt", "n\n")
    assert lists(repo.changes(between)) == {}
    shutil.rmtree(nested.path)
    assert lists(repo.changes(between)) == {"deleted": ["tools/nested"]}


def test_files_that_get_a_repository_of_their_own_stay_what_they_were(repo: Repo) -> None:
    repo.write("tools/t.txt", "t\n")
    snapshot = repo.take()
    repo.at(repo.path / "tools").init()
    assert lists(repo.changes(snapshot)) == {"added": ["tools"]}

    repo.write("tools/t.txt", "changed\n")
    assert lists(repo.changes(snapshot)) == {"added": ["tools"], "modified": ["tools/t.txt"]}


def test_another_worktree_inside_the_tree_is_not_part_of_it(repo: Repo) -> None:
    snapshot = repo.take()
    repo.git("worktree", "add", "-q", "-b", "side", "trees/side")
    side = repo.at(repo.path / "trees" / "side")
    side.write("a.txt", "edited there\n")

    assert lists(repo.changes(snapshot)) == {}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_nested_repository_of_another_owner_is_compared_by_its_files(repo: Repo) -> None:
    nested = repo.at(repo.path / "nested").init()
    nested.commit(**{"n.txt": "n\n"})
    for path in (nested.path, nested.path / ".git"):
        os.chown(path, 12345, 12345)
    snapshot = repo.take()
    assert lists(repo.changes(snapshot)) == {}

    nested.write("n.txt", "edited\n")
    assert lists(repo.changes(snapshot)) == {"modified": ["nested"]}
