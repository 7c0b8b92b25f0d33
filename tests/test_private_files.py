"""Private files: a failure on the way leaves what was there, and nothing else."""

from __future__ import annotations

import errno
import os

import pytest

from mission.private_files import write_private


def test_a_file_that_cannot_be_written_whole_stays_as_it_was(tmp_path, monkeypatch):
    def full(_descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    file = tmp_path / "token"
    write_private(file, "old")
    monkeypatch.setattr(os, "fsync", full)

    with pytest.raises(OSError, match="No space"):
        write_private(file, "new")

    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]
    assert file.stat().st_mode & 0o777 == 0o600
