"""A watch says that a tree is unchanged, or leaves it to the scan."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from mission.git import tree_watch
from mission.git.snapshot import Snapshots
from mission.git.tree_identity import TreeIdentity, identify
from mission.git.tree_watch import watch_tree
from mission.git.working_tree import find_tree


@pytest.fixture
def snapshots(tmp_path) -> Snapshots:
    return Snapshots(tmp_path / "snapshots")


@pytest.fixture
def settled(repository, monkeypatch):
    """A repository whose files are old enough for their times to be trusted."""
    (repository / "src").mkdir(exist_ok=True)
    (repository / "src" / "app.py").write_text("print('app')\n")
    monkeypatch.setattr(tree_watch, "YOUNG_NS", 0)
    return repository


def identity_of(snapshots: Snapshots, path: Path) -> TreeIdentity:
    return identify(snapshots, find_tree(path))


def watched(snapshots: Snapshots, path: Path, **left: str):
    watch = watch_tree(snapshots, identity_of(snapshots, path), left=left)
    assert watch is not None
    return watch


def test_a_tree_that_nobody_touches_is_unchanged(snapshots, settled):
    assert watched(snapshots, settled).is_unchanged()


@pytest.mark.parametrize(
    "change",
    [
        lambda top: (top / "src" / "app.py").write_text("print('APP')\n"),
        lambda top: (top / "src" / "app.py").unlink(),
        lambda top: (top / "src" / "app.py").chmod(0o755),
        lambda top: (top / "src" / "new.py").write_text(""),
        lambda top: (top / "src" / "deep" / "er").mkdir(parents=True),
        lambda top: (top / "top.txt").write_text(""),
        lambda top: (top / "src" / "app.py").replace(top / "src" / "other.py"),
        lambda top: subprocess.run(["git", "add", "src/app.py"], cwd=top, check=True),
    ],
    ids=["content", "deleted", "mode", "new file", "new folder", "new at the top", "renamed", "index"],
)
@pytest.mark.parametrize("young_ns", [0, 10**18], ids=["by times", "by content"])
def test_every_change_is_left_to_the_scan(snapshots, settled, monkeypatch, change, young_ns):
    identity = identity_of(snapshots, settled)
    monkeypatch.setattr(tree_watch, "YOUNG_NS", young_ns)
    watch = watch_tree(snapshots, identity, left={})
    assert watch is not None
    assert watch.is_unchanged()

    change(settled)

    assert not watch.is_unchanged()


def test_the_same_size_and_times_do_not_hide_another_content(snapshots, settled, monkeypatch):
    file = settled / "src" / "app.py"
    watch = watched(snapshots, settled)
    before = file.stat()

    file.write_text("print('APP')\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert not watch.is_unchanged()


def test_a_tree_that_changed_after_it_was_identified_is_not_watched(snapshots, settled):
    identity = identity_of(snapshots, settled)
    (settled / "src" / "app.py").write_text("print('later')\n")

    assert watch_tree(snapshots, identity, left={}) is None


def test_a_file_that_a_check_left_is_watched_too(snapshots, settled):
    (settled / ".gitignore").write_text("junit.xml\n")
    (settled / "junit.xml").write_text("<a/>")
    watch = watched(snapshots, settled, **{"junit.xml": "id"})
    assert watch.is_unchanged()

    time_ns = time.time_ns()
    (settled / "junit.xml").write_text("<b/>")
    os.utime(settled / "junit.xml", ns=(time_ns, time_ns))

    assert not watch.is_unchanged()


def test_a_worktree_finds_its_index_elsewhere(snapshots, settled, tmp_path):
    subprocess.run(["git", "worktree", "add", "-q", str(tmp_path / "wt")], cwd=settled, check=True)

    assert watched(snapshots, tmp_path / "wt").is_unchanged()


def test_plain_folders_large_trees_and_line_endings_are_left_to_the_scan(snapshots, settled, tmp_path, monkeypatch):
    plain = tmp_path / "plain"
    plain.mkdir()
    (plain / "a").write_text("a")
    assert watch_tree(snapshots, identity_of(snapshots, plain), left={}) is None

    (settled / ".gitattributes").write_text("*.txt text eol=crlf\n")
    (settled / "lines.txt").write_bytes(b"one\r\ntwo\r\n")
    assert watch_tree(snapshots, identity_of(snapshots, settled), left={}) is None

    (settled / "lines.txt").unlink()
    monkeypatch.setattr(tree_watch, "MAX_WATCHED", 1)
    assert watch_tree(snapshots, identity_of(snapshots, settled), left={}) is None
