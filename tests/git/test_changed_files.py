"""What a task changed: the everyday cases."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from mission.domain.tasks.changes import Rename
from mission.git.errors import RepositoryGone, TreeGone
from tests.git.real_repositories import Repo, lists


def test_an_untouched_tree_has_no_changes(repo: Repo) -> None:
    changes = repo.changes(repo.take())

    assert changes.as_dict() == {"added": [], "modified": [], "deleted": [], "renamed": [], "commits": []}
    assert changes.warnings == []


def test_each_kind_of_change_stands_in_its_list(repo: Repo) -> None:
    snapshot = repo.take()
    repo.write("a.txt", "changed\n")
    (repo.path / "b.txt").unlink()
    repo.write("new/d.txt", "d\n")

    assert lists(repo.changes(snapshot)) == {"added": ["new/d.txt"], "modified": ["a.txt"], "deleted": ["b.txt"]}


def test_what_was_dirty_before_is_not_blamed_on_the_task(repo: Repo) -> None:
    repo.write("a.txt", "dirty\n")
    repo.write("untracked.txt", "there before\n")
    (repo.path / "b.txt").unlink()
    snapshot = repo.take()
    repo.write("src/c.txt", "by the task\n")

    assert lists(repo.changes(snapshot)) == {"modified": ["src/c.txt"]}


def test_dirty_and_untracked_files_edited_further_are_modified_and_ones_put_back_are_too(repo: Repo) -> None:
    repo.write("a.txt", "dirty\n")
    repo.write("b.txt", "dirty\n")
    repo.write("untracked.txt", "there before\n")
    snapshot = repo.take()
    repo.write("a.txt", "dirtier\n")
    repo.write("b.txt", "b\n")
    repo.write("untracked.txt", "edited\n")

    assert lists(repo.changes(snapshot)) == {"modified": ["a.txt", "b.txt", "untracked.txt"]}


def test_a_change_that_was_undone_is_no_change(repo: Repo) -> None:
    snapshot = repo.take()
    repo.write("a.txt", "changed\n")
    repo.commit()
    repo.write("a.txt", "a\n")

    assert lists(repo.changes(snapshot)) == {}


def test_committing_or_staging_what_was_dirty_changes_no_file(repo: Repo) -> None:
    repo.write("a.txt", "dirty\n")
    repo.write("untracked.txt")
    snapshot = repo.take()
    repo.commit("saved")

    changes = repo.changes(snapshot)

    assert lists(changes) == {}
    assert [commit.subject for commit in changes.commits] == ["saved"]


def test_an_edit_of_the_same_size_in_the_same_moment_is_seen(repo: Repo) -> None:
    path = repo.write("untracked.txt", "x\n")
    for number in range(10):
        os.utime(path, ns=(10**18, 10**18))
        snapshot = repo.take()
        path.write_text(f"{number}\n")
        os.utime(path, ns=(10**18, 10**18))
        assert lists(repo.changes(snapshot)) == {"modified": ["untracked.txt"]}


def test_an_edit_of_the_same_size_right_after_the_commit_is_seen(repo: Repo) -> None:
    for number in range(10):
        repo.write("a.txt", "1234\n")
        repo.git("add", "-A")
        snapshot = repo.take()
        repo.write("a.txt", f"{number}{number}{number}{number}\n")
        assert lists(repo.changes(snapshot)) == {"modified": ["a.txt"]}


def test_an_edit_that_only_the_time_of_the_index_betrays_is_seen(repo: Repo) -> None:
    """Git reads a file again if it is not older than the index; the copy of the index must keep its time for that."""
    path, index, time = repo.path / "a.txt", repo.path / ".git" / "index", (10**18, 10**18)
    for number in range(5):
        os.utime(path, ns=time)
        repo.git("add", "a.txt")
        os.utime(index, ns=time)
        snapshot = repo.take()
        path.write_text(f"{number}\n")
        os.utime(path, ns=time)
        assert lists(repo.changes(snapshot)) == {"modified": ["a.txt"]}


def test_ignored_files_are_left_out(repo: Repo) -> None:
    repo.write(".gitignore", "*.log\nbuild/\n")
    snapshot = repo.take()
    repo.write("x.log")
    repo.write("build/out.txt")
    repo.write("kept.txt")

    assert lists(repo.changes(snapshot)) == {"added": ["kept.txt"]}


def test_the_excludes_of_repository_and_user_count(repo: Repo, home: Path) -> None:
    (repo.path / ".git" / "info").mkdir(exist_ok=True)
    (repo.path / ".git" / "info" / "exclude").write_text("*.one\n")
    (home / "my-ignores").write_text("*.two\n")
    (home / ".gitconfig").write_text("[core]\n\texcludesFile = ~/my-ignores\n")
    snapshot = repo.take()
    for name in ("a.one", "a.two", "a.three"):
        repo.write(name)

    assert lists(repo.changes(snapshot)) == {"added": ["a.three"]}


def test_a_file_that_becomes_ignored_but_stays_is_neither_deleted_nor_forgotten(repo: Repo) -> None:
    repo.write("notes.log", "before\n")
    repo.write("other.log", "before\n")
    snapshot = repo.take()
    repo.write(".gitignore", "*.log\n")
    repo.write("other.log", "after\n")

    assert lists(repo.changes(snapshot)) == {"added": [".gitignore"], "modified": ["other.log"]}


def test_a_file_taken_out_of_the_index_and_ignored_is_only_deleted_when_it_is_gone(repo: Repo) -> None:
    snapshot = repo.take()
    repo.write(".gitignore", "*.txt\n")
    repo.git("rm", "-q", "--cached", "a.txt", "b.txt")
    (repo.path / "b.txt").unlink()

    assert lists(repo.changes(snapshot)) == {"added": [".gitignore"], "deleted": ["b.txt"]}


def test_a_tracked_file_that_matches_an_ignore_rule_still_counts(repo: Repo) -> None:
    repo.write(".gitignore", "a.txt\n")
    snapshot = repo.take()
    repo.write("a.txt", "changed\n")

    assert lists(repo.changes(snapshot)) == {"modified": ["a.txt"]}


def test_a_rename_is_one_deleted_and_one_added_path_and_is_named(repo: Repo) -> None:
    snapshot = repo.take()
    repo.git("mv", "a.txt", "moved.txt")

    changes = repo.changes(snapshot)

    assert lists(changes) == {"added": ["moved.txt"], "deleted": ["a.txt"]}
    assert changes.renamed == [Rename(source="a.txt", target="moved.txt")]


def test_renames_with_equal_content_prefer_the_same_file_name_then_the_order(repo: Repo) -> None:
    for name in ("one/x.txt", "one/y.txt", "one/z.txt"):
        repo.write(name, "the same\n")
    repo.commit()
    snapshot = repo.take()
    shutil.rmtree(repo.path / "one")
    for name in ("two/z.txt", "two/k.txt"):
        repo.write(name, "the same\n")

    assert repo.changes(snapshot).renamed == [
        Rename(source="one/x.txt", target="two/k.txt"),
        Rename(source="one/z.txt", target="two/z.txt"),
    ]


def test_mode_and_type_changes_are_modifications(repo: Repo) -> None:
    snapshot = repo.take()
    (repo.path / "a.txt").chmod(0o755)
    (repo.path / "b.txt").unlink()
    (repo.path / "b.txt").symlink_to("a.txt")

    assert lists(repo.changes(snapshot)) == {"modified": ["a.txt", "b.txt"]}


def test_a_file_replaced_by_a_folder_and_back(repo: Repo) -> None:
    snapshot = repo.take()
    (repo.path / "a.txt").unlink()
    repo.write("a.txt/inner.txt")
    shutil.rmtree(repo.path / "src")
    repo.write("src", "a file now\n")

    between = repo.take()
    assert lists(repo.changes(snapshot)) == {"added": ["a.txt/inner.txt", "src"], "deleted": ["a.txt", "src/c.txt"]}

    shutil.rmtree(repo.path / "a.txt")
    (repo.path / "src").unlink()
    repo.write("a.txt", "a\n")
    repo.write("src/c.txt", "c\n")
    assert lists(repo.changes(snapshot)) == {}
    assert lists(repo.changes(between)) == {"added": ["a.txt", "src/c.txt"], "deleted": ["a.txt/inner.txt", "src"]}


def test_a_folder_replaced_by_a_link_to_it_lost_its_files(repo: Repo) -> None:
    repo.write("src/untracked.txt")
    snapshot = repo.take()
    (repo.path / "src").rename(repo.path.parent / "elsewhere")
    (repo.path / "src").symlink_to("../elsewhere")

    assert lists(repo.changes(snapshot)) == {"added": ["src"], "deleted": ["src/c.txt", "src/untracked.txt"]}


def test_a_repository_without_a_commit_is_compared_all_the_same(empty: Repo) -> None:
    empty.write("a.txt", "a\n")
    snapshot = empty.take()
    empty.write("b.txt", "b\n")
    empty.commit("first")

    changes = empty.changes(snapshot)

    assert (snapshot.kind, snapshot.head, snapshot.id) == ("git", None, snapshot.digest)
    assert lists(changes) == {"added": ["b.txt"]}
    assert [commit.subject for commit in changes.commits] == ["first"]


def test_a_tree_that_is_gone_is_said_to_be_gone(repo: Repo) -> None:
    snapshot = repo.take()
    shutil.rmtree(repo.path)

    with pytest.raises(TreeGone):
        repo.changes(snapshot)


def test_a_repository_that_is_gone_is_said_to_be_gone(repo: Repo) -> None:
    snapshot = repo.take()
    shutil.rmtree(repo.path / ".git")

    with pytest.raises(RepositoryGone):
        repo.changes(snapshot)


def test_worktrees_of_one_repository_are_compared_apart(repo: Repo, tmp_path: Path) -> None:
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = repo.at(tmp_path / "side")
    here, there = repo.take(), side.take()
    side.write("a.txt", "changed\n")
    side.commit("on the side")

    assert lists(repo.changes(here)) == {}
    assert repo.changes(here).commits == []
    assert lists(side.changes(there)) == {"modified": ["a.txt"]}
    assert [commit.subject for commit in side.changes(there).commits] == ["on the side"]
