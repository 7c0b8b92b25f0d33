"""Folders without git."""

from __future__ import annotations

import hashlib
import os
import shutil

import pytest

import mission.git.snapshots.plain_folder
from mission.domain.tasks.changes import Rename
from mission.git.changed_files import find_changes
from mission.git.errors import TooManyFiles
from mission.git.snapshot import Snapshots
from mission.git.snapshots.plain_folder import CHUNK, _checksum
from mission.git.working_tree import find_tree
from tests.git.real_repositories import Folder, Repo, lists


def test_a_folder_is_really_compared(folder: Folder) -> None:
    folder.write("b.txt", "b\n")
    snapshot = folder.take()
    folder.write("a.txt", "A\n")
    folder.write("new/d.txt", "d\n")
    (folder.path / "b.txt").rename(folder.path / "moved.txt")
    (folder.path / "src" / "c.txt").chmod(0o755)

    changes = folder.changes(snapshot)

    assert (snapshot.kind, snapshot.head, snapshot.id) == ("checksum", None, snapshot.digest)
    assert lists(changes) == {
        "added": ["moved.txt", "new/d.txt"],
        "modified": ["a.txt", "src/c.txt"],
        "deleted": ["b.txt"],
    }
    assert changes.renamed == [Rename(source="b.txt", target="moved.txt")]


def test_dependencies_and_caches_are_skipped_but_build_results_are_not(folder: Folder) -> None:
    snapshot = folder.take()
    for name in ("node_modules", ".venv", "venv", "__pycache__", ".mypy_cache", ".tox", "src/node_modules"):
        folder.write(f"{name}/x.txt")
    folder.write("dist/x.txt")

    assert lists(folder.changes(snapshot)) == {"added": ["dist/x.txt"]}


def test_links_are_not_followed(folder: Folder) -> None:
    (folder.path / "round").symlink_to(".")
    snapshot = folder.take()
    folder.write("a.txt", "edited\n")
    (folder.path / "out").symlink_to("/etc")

    assert lists(folder.changes(snapshot)) == {"added": ["out"], "modified": ["a.txt"]}


def test_an_edit_that_leaves_size_and_time_is_seen(folder: Folder) -> None:
    path = folder.path / "a.txt"
    for number in range(10):
        os.utime(path, ns=(10**18, 10**18))
        snapshot = folder.take()
        path.write_text(f"{number}\n")
        os.utime(path, ns=(10**18, 10**18))
        assert lists(folder.changes(snapshot)) == {"modified": ["a.txt"]}


def test_a_folder_that_becomes_a_repository_is_still_compared(folder: Folder) -> None:
    snapshot = folder.take()
    repo = Repo(path=folder.path, snapshots=folder.snapshots).init()
    repo.write(".gitignore", "*.log\n")
    repo.write("x.log")
    repo.commit("first", **{"new.txt": "new\n"})

    assert lists(folder.changes(snapshot)) == {"added": [".gitignore", "new.txt", "x.log"]}


def test_too_many_or_too_large_files_are_refused_with_advice(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    endless = folder.write("endless")
    os.truncate(endless, 60_000_000_000)
    with pytest.raises(TooManyFiles, match="more than 50,000,000,000 bytes"):
        folder.take()
    endless.unlink()
    monkeypatch.setattr(mission.git.snapshots.plain_folder, "LIMIT", 1)
    with pytest.raises(TooManyFiles, match="more than 1 files") as refusal:
        folder.take()

    assert refusal.value.code == "INVALID_INPUT"
    assert "git init" in (refusal.value.hint or "")


def test_a_file_is_read_only_as_far_as_its_size_says(folder: Folder) -> None:
    path = os.fsencode(folder.write("a.bin", b"x" * (3 * CHUNK)))

    assert _checksum(path, size=0, each=lambda: None) == hashlib.sha256(b"x" * CHUNK).hexdigest()
    assert _checksum(path, size=3 * CHUNK, each=lambda: None) == hashlib.sha256(b"x" * 3 * CHUNK).hexdigest()


def test_special_files_and_odd_names(folder: Folder) -> None:
    snapshot = folder.take()
    os.mkfifo(folder.path / "pipe")
    for name in (b"caf\xe9", b"tab\tx", b"line\nbreak"):
        folder.write(name)

    assert lists(folder.changes(snapshot)) == {"added": ['"caf\\351"', "line\nbreak", "tab\tx"]}


def test_files_become_folders(folder: Folder) -> None:
    snapshot = folder.take()
    (folder.path / "a.txt").unlink()
    folder.write("a.txt/x")
    shutil.rmtree(folder.path / "src")
    folder.write("src")

    assert lists(folder.changes(snapshot)) == {"added": ["a.txt/x", "src"], "deleted": ["a.txt", "src/c.txt"]}


def test_snapshots_inside_the_folder_do_not_see_themselves(folder: Folder) -> None:
    inside = Snapshots(folder.path / "home" / "snapshots")
    snapshot = inside.take(find_tree(folder.path))
    folder.write("a.txt", "edited\n")

    assert lists(find_changes(inside, snapshot)) == {"modified": ["a.txt"]}
