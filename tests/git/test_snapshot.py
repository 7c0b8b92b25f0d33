"""Snapshots: what is stored of a tree, for how long, and what is left alone."""

from __future__ import annotations

import json
import os
import stat
from datetime import timedelta
from pathlib import Path

import pytest

from mission.git.changed_files import find_changes
from mission.git.errors import ChangesUnknown, SnapshotLost
from mission.git.snapshot import Snapshot, Snapshots
from mission.git.working_tree import find_tree
from tests.git.real_repositories import Repo, everything, lists


def test_the_id_of_a_snapshot_is_the_commit(repo: Repo) -> None:
    assert repo.take().id == repo.head


def test_a_snapshot_survives_json(repo: Repo) -> None:
    repo.write("a.txt", "dirty\n")
    snapshot = repo.take()
    again = Snapshot.from_dict(json.loads(json.dumps(snapshot.as_dict())))
    repo.write("b.txt", "changed\n")

    assert again == snapshot
    assert lists(repo.changes(again)) == {"modified": ["b.txt"]}


def test_the_repository_is_left_as_it_was(repo: Repo) -> None:
    repo.write("a.txt", "dirty\n")
    repo.write("secret.txt", "not to be stored anywhere\n")
    repo.write("staged.txt")
    repo.git("add", "staged.txt")
    repo.git("stash", "push", "-q", "--", "b.txt", check=False)
    # Stat data that git would love to refresh.
    os.utime(repo.path / "src" / "c.txt", ns=(10**18, 10**18))
    before = everything(repo.path)

    snapshot = repo.take()
    repo.changes(snapshot)
    repo.snapshots.forget(snapshot)

    assert everything(repo.path) == before


def test_no_content_of_the_tree_is_stored(repo: Repo, tmp_path: Path) -> None:
    repo.write("secret.txt", "x" * 5000 + "password")
    repo.take()

    stored = [path for path in (tmp_path / "snapshots").rglob("*") if path.is_file()]
    assert not [path for path in stored if path.parent.name == "objects" or b"password" in path.read_bytes()]


def test_what_is_stored_is_for_the_owner_only(repo: Repo, tmp_path: Path) -> None:
    repo.write("a.txt", "dirty\n")
    repo.take()

    for path in (tmp_path / "snapshots").rglob("*"):
        allowed = 0o700 if path.is_dir() else 0o600
        if not path.is_symlink():
            assert stat.S_IMODE(path.stat().st_mode) & ~allowed == 0, path


def test_forgetting_removes_the_delta_and_may_be_repeated(repo: Repo, tmp_path: Path) -> None:
    repo.write("a.txt", "dirty\n")
    kept, forgotten = repo.take(), repo.take()

    repo.snapshots.forget(forgotten)
    repo.snapshots.forget(forgotten)

    assert len(list((tmp_path / "snapshots").rglob("deltas/*"))) == 1
    assert lists(repo.changes(kept)) == {}
    with pytest.raises(SnapshotLost):
        repo.changes(forgotten)


def test_forgetting_keeps_only_bases_that_are_needed(repo: Repo, tmp_path: Path) -> None:
    old = repo.take()
    for number in range(20):
        repo.write(f"many/{number}.txt", f"{number}\n")
    repo.commit()
    new = repo.take()
    bases = tmp_path / "snapshots"
    assert len(list(bases.rglob("bases/*"))) == 2

    assert len(repo.changes(old).added) == 20
    repo.snapshots.forget(old)

    assert len(list(bases.rglob("bases/*"))) == 1
    assert lists(repo.changes(new)) == {}


def test_pruning_removes_leftovers_and_keeps_the_rest(repo: Repo, empty: Repo, tmp_path: Path) -> None:
    kept, lost, other = repo.take(), repo.take(), empty.take()

    repo.snapshots.prune([kept])
    assert lists(repo.changes(lost)) == {}

    repo.snapshots.prune([kept], grace=timedelta(seconds=-60))

    assert lists(repo.changes(kept)) == {}
    for snapshot in (lost, other):
        with pytest.raises(SnapshotLost):
            repo.changes(snapshot)
    assert len(list((tmp_path / "snapshots" / "trees").iterdir())) == 1


def test_a_damaged_snapshot_is_an_error_and_the_next_one_is_whole_again(repo: Repo, tmp_path: Path) -> None:
    snapshot = repo.take()
    for path in (tmp_path / "snapshots").rglob("bases/*"):
        path.write_bytes(b"damaged")
    repo.write("a.txt", "changed\n")

    with pytest.raises(ChangesUnknown):
        repo.changes(snapshot)
    fresh = repo.take()
    repo.write("b.txt", "changed\n")
    assert lists(repo.changes(fresh)) == {"modified": ["b.txt"]}


def test_a_damaged_cache_is_made_anew(repo: Repo, tmp_path: Path) -> None:
    repo.write("a.txt", "dirty\n")
    snapshot = repo.take()
    for name in ("overlay-index", "copied-index", "listing"):
        for path in (tmp_path / "snapshots").rglob(name):
            path.write_bytes(b"damaged")
    repo.write("b.txt", "changed\n")

    assert lists(repo.changes(snapshot)) == {"modified": ["b.txt"]}


def test_snapshots_inside_the_tree_do_not_see_themselves(repo: Repo) -> None:
    inside = Snapshots(repo.path / "home" / "snapshots")
    snapshot = inside.take(find_tree(repo.path))
    repo.write("a.txt", "changed\n")

    assert lists(find_changes(inside, snapshot)) == {"modified": ["a.txt"]}


def test_progress_is_reported(repo: Repo) -> None:
    repo.write("a.txt", "dirty\n")
    said: list[str] = []

    repo.snapshots.take(find_tree(repo.path), report=said.append)

    assert said == ["Reading 1 changed or new file"]
