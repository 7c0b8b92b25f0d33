"""Where snapshots are kept: whole or not at all, and only as long as they are needed."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from mission.domain.errors import StorageFull
from mission.git.errors import SnapshotLost
from mission.git.snapshots.snapshot_storage import EMPTY, SnapshotFolder, Storage, make_folder, moments_ago, write

DELTA = {b"a": b"H 100644 id 0", b"gone": None}


@pytest.fixture
def storage(tmp_path: Path) -> Storage:
    return Storage(tmp_path / "snapshots")


@pytest.fixture
def folder(storage: Storage) -> SnapshotFolder:
    folder = storage.folder(b"/tree")
    folder.make()
    return folder


def fresh(folder: SnapshotFolder) -> SnapshotFolder:
    """The same folder in a process that has not read anything yet."""
    return SnapshotFolder(folder.path)


def test_a_base_is_read_back_by_its_digest_and_an_empty_one_needs_no_file(folder: SnapshotFolder) -> None:
    digest = folder.save_base(b"H 100644 id 0\ta\0")

    assert fresh(folder).load_base(digest) == b"H 100644 id 0\ta\0"
    assert folder.save_base(b"") == EMPTY
    assert folder.has_base(EMPTY)
    assert fresh(folder).load_base(EMPTY) == b""
    assert [path.name for path in (folder.path / "bases").iterdir()] == [digest]


@pytest.mark.parametrize("content", [b"nonsense", b""])
def test_a_damaged_base_is_lost_and_makes_room_for_a_whole_one(folder: SnapshotFolder, content: bytes) -> None:
    digest = folder.save_base(b"text\0")
    (folder.path / "bases" / digest).write_bytes(content)

    with pytest.raises(SnapshotLost):
        fresh(folder).load_base(digest)

    assert not folder.has_base(digest)
    with pytest.raises(SnapshotLost):
        fresh(folder).load_base("0" * 64)


def test_a_delta_is_read_back_and_a_changed_one_is_not_believed(folder: SnapshotFolder) -> None:
    digest = folder.save_delta("k1", base="b1", delta=DELTA)

    assert folder.load_delta("k1", base="b1", digest=digest) == DELTA
    folder.save_delta("k1", base="b1", delta={})
    with pytest.raises(SnapshotLost):
        folder.load_delta("k1", base="b1", digest=digest)
    folder.drop_delta("k1", base="b1")
    folder.drop_delta("k1", base="b1")
    assert list((folder.path / "deltas").iterdir()) == []


def test_bases_go_when_no_delta_needs_them(folder: SnapshotFolder) -> None:
    needed, next_, old = (folder.save_base(text) for text in (b"1\0", b"2\0", b"3\0"))
    folder.save_delta("k1", base=needed, delta={})

    folder.drop_bases(keep=next_)

    assert [folder.has_base(each) for each in (needed, next_, old)] == [True, True, False]


def test_deltas_go_when_nobody_keeps_them_and_they_are_old(folder: SnapshotFolder) -> None:
    for key in ("kept", "old", "young"):
        folder.save_delta(key, base="b", delta={})
    for key in ("kept", "old"):
        os.utime(folder.path / "deltas" / f"{key}.b", (1, 1))

    folder.drop_deltas(keep=["kept"], before=moments_ago(3600))

    assert sorted(path.name for path in (folder.path / "deltas").iterdir()) == ["kept.b", "young.b"]


def test_a_room_is_idle_without_snapshots_once_it_was_left_alone(folder: SnapshotFolder) -> None:
    os.utime(folder.path, (1, 1))
    assert folder.is_idle(before=moments_ago(3600))
    assert not folder.is_idle(before=0)

    folder.save_delta("k1", base="b", delta={})
    assert not folder.is_idle(before=moments_ago(3600))
    folder.remove()
    folder.remove()
    assert not folder.path.exists()


def test_what_a_crash_left_half_written_is_removed(folder: SnapshotFolder) -> None:
    digest = folder.save_base(b"text\0")
    for path in (folder.path, folder.path / "bases", folder.path / "deltas"):
        (path / ".half.abc").write_bytes(b"x")

    folder.drop_unfinished()

    assert not list(folder.path.rglob(".half*"))
    assert folder.has_base(digest)


def test_rooms_are_apart_and_a_nested_one_lies_in_its_own(storage: Storage, folder: SnapshotFolder) -> None:
    assert storage.folder(b"/tree").path == folder.path
    assert storage.folder(b"/other").path != folder.path
    assert folder.inner(b"sub").path.is_relative_to(folder.path)
    assert folder.inner(b"sub").excluded == storage.root
    assert [each.path for each in storage.folders()] == [folder.path]
    assert Storage(storage.root / "none").folders() == []


def test_a_room_is_held_by_one_at_a_time(storage: Storage, folder: SnapshotFolder) -> None:
    with storage.locked(folder) as first, storage.locked(folder, wait=False) as second:
        assert (first, second) == (True, False)
        with storage.locked(storage.folder(b"/other"), wait=False) as other:
            assert other is True
    with storage.locked(folder, wait=False) as again:
        assert again is True


def test_new_folders_are_closed_to_others_from_the_first_to_the_last(tmp_path: Path) -> None:
    make_folder(tmp_path / "a" / "b")
    make_folder(tmp_path / "a" / "b")

    assert [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("a", "a/b")] == [0o700, 0o700]


@pytest.mark.parametrize("durable", [True, False])
def test_a_write_replaces_the_whole_file_and_is_private(home: Path, durable: bool) -> None:
    path = home / "file"
    write(path, b"first and longer", durable=durable)
    write(path, b"second", durable=durable)

    assert path.read_bytes() == b"second"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(home.iterdir()) == [path]


@pytest.mark.parametrize(
    ("code", "error"), [(errno.ENOSPC, StorageFull), (errno.EDQUOT, StorageFull), (errno.EIO, OSError)]
)
def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    home: Path, monkeypatch: pytest.MonkeyPatch, code: int, error: type[Exception]
) -> None:
    path = home / "file"
    write(path, b"old")

    def full(_descriptor: int) -> None:
        raise OSError(code, "no")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(error):
        write(path, b"new", durable=True)

    assert path.read_bytes() == b"old"
    assert list(home.iterdir()) == [path]
