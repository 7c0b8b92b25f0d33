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
def room(storage: Storage) -> SnapshotFolder:
    room = storage.room(b"/tree")
    room.make()
    return room


def fresh(room: SnapshotFolder) -> SnapshotFolder:
    """The same room in a process that has not read anything yet."""
    return SnapshotFolder(room.path)


def test_a_base_is_read_back_by_its_digest_and_an_empty_one_needs_no_file(room: SnapshotFolder) -> None:
    digest = room.save_base(b"H 100644 id 0\ta\0")

    assert fresh(room).load_base(digest) == b"H 100644 id 0\ta\0"
    assert room.save_base(b"") == EMPTY
    assert room.has_base(EMPTY)
    assert fresh(room).load_base(EMPTY) == b""
    assert [path.name for path in (room.path / "bases").iterdir()] == [digest]


@pytest.mark.parametrize("content", [b"nonsense", b""])
def test_a_damaged_base_is_lost_and_makes_room_for_a_whole_one(room: SnapshotFolder, content: bytes) -> None:
    digest = room.save_base(b"text\0")
    (room.path / "bases" / digest).write_bytes(content)

    with pytest.raises(SnapshotLost):
        fresh(room).load_base(digest)

    assert not room.has_base(digest)
    with pytest.raises(SnapshotLost):
        fresh(room).load_base("0" * 64)


def test_a_delta_is_read_back_and_a_changed_one_is_not_believed(room: SnapshotFolder) -> None:
    digest = room.save_delta("k1", base="b1", delta=DELTA)

    assert room.load_delta("k1", base="b1", digest=digest) == DELTA
    room.save_delta("k1", base="b1", delta={})
    with pytest.raises(SnapshotLost):
        room.load_delta("k1", base="b1", digest=digest)
    room.drop_delta("k1", base="b1")
    room.drop_delta("k1", base="b1")
    assert list((room.path / "deltas").iterdir()) == []


def test_bases_go_when_no_delta_needs_them(room: SnapshotFolder) -> None:
    needed, next_, old = (room.save_base(text) for text in (b"1\0", b"2\0", b"3\0"))
    room.save_delta("k1", base=needed, delta={})

    room.drop_bases(keep=next_)

    assert [room.has_base(each) for each in (needed, next_, old)] == [True, True, False]


def test_deltas_go_when_nobody_keeps_them_and_they_are_old(room: SnapshotFolder) -> None:
    for key in ("kept", "old", "young"):
        room.save_delta(key, base="b", delta={})
    for key in ("kept", "old"):
        os.utime(room.path / "deltas" / f"{key}.b", (1, 1))

    room.drop_deltas(keep=["kept"], before=moments_ago(3600))

    assert sorted(path.name for path in (room.path / "deltas").iterdir()) == ["kept.b", "young.b"]


def test_a_room_is_idle_without_snapshots_once_it_was_left_alone(room: SnapshotFolder) -> None:
    os.utime(room.path, (1, 1))
    assert room.is_idle(before=moments_ago(3600))
    assert not room.is_idle(before=0)

    room.save_delta("k1", base="b", delta={})
    assert not room.is_idle(before=moments_ago(3600))
    room.remove()
    room.remove()
    assert not room.path.exists()


def test_what_a_crash_left_half_written_is_removed(room: SnapshotFolder) -> None:
    digest = room.save_base(b"text\0")
    for folder in (room.path, room.path / "bases", room.path / "deltas"):
        (folder / ".half.abc").write_bytes(b"x")

    room.drop_unfinished()

    assert not list(room.path.rglob(".half*"))
    assert room.has_base(digest)


def test_rooms_are_apart_and_a_nested_one_lies_in_its_own(storage: Storage, room: SnapshotFolder) -> None:
    assert storage.room(b"/tree").path == room.path
    assert storage.room(b"/other").path != room.path
    assert room.inner(b"sub").path.is_relative_to(room.path)
    assert room.inner(b"sub").excluded == storage.root
    assert [each.path for each in storage.rooms()] == [room.path]
    assert Storage(storage.root / "none").rooms() == []


def test_a_room_is_held_by_one_at_a_time(storage: Storage, room: SnapshotFolder) -> None:
    with storage.locked(room) as first, storage.locked(room, wait=False) as second:
        assert (first, second) == (True, False)
        with storage.locked(storage.room(b"/other"), wait=False) as other:
            assert other is True
    with storage.locked(room, wait=False) as again:
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
