"""Who has the database open."""

from __future__ import annotations

import errno
from pathlib import Path

from mission.store.backends.file_locks import FileLockUsers


def test_whoever_finds_the_disk_full_is_counted_though_not_by_name(tmp_path, monkeypatch):
    def no_room(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_text", no_room)
    one, other = (FileLockUsers(tmp_path / "database.lock", role=role) for role in ("the daemon", "a restore"))

    one.enter()

    assert other.enter_alone() == ["another process"]
    one.leave()
    assert other.enter_alone() is None
