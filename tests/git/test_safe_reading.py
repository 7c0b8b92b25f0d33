"""Reading files of a repository: only ordinary ones, never through a link, and never without end."""

from __future__ import annotations

import hashlib
import os
import socket
from pathlib import Path

import pytest

from mission.git import safe_reading
from mission.git.safe_reading import NotOrdinary, TooMuch


@pytest.fixture
def top(tmp_path: Path) -> Path:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file").write_bytes(b"content")
    return tmp_path


def test_a_file_is_read_digested_and_copied_with_its_times(top: Path) -> None:
    os.utime(top / "folder" / "file", ns=(1, 1_000_000_000))

    name = safe_reading.copy(top, b"folder/file", top / "copy", limit=7)

    assert safe_reading.read(top, "folder/file", limit=7) == (top / "copy").read_bytes() == b"content"
    assert name == safe_reading.digest(top, "folder/file", limit=7) == hashlib.sha256(b"content").hexdigest()
    found = (top / "copy").stat()
    assert (found.st_mtime_ns, found.st_mode & 0o777) == (1_000_000_000, 0o600)


def test_one_byte_too_many_is_refused_and_no_part_of_a_copy_stays(top: Path) -> None:
    (top / "copy").write_text("before")

    with pytest.raises(TooMuch):
        safe_reading.read(top, "folder/file", limit=6)
    with pytest.raises(TooMuch):
        safe_reading.copy(top, "folder/file", top / "copy", limit=6)

    assert (top / "copy").read_text() == "before"
    assert sorted(path.name for path in top.iterdir()) == ["copy", "folder", "home"]


def test_a_file_that_takes_too_long_is_given_up(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(safe_reading, "SECONDS", -1)

    with pytest.raises(TooMuch):
        safe_reading.digest(top, "folder/file", limit=99)


def make(kind: str, path: Path) -> None:
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(path))
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to("folder/file")


@pytest.mark.parametrize("kind", ["pipe", "socket", "folder", "link"])
def test_only_an_ordinary_file_is_opened(top: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(top)  # the name of a socket must be short
    make(kind, Path("special"))

    with pytest.raises(NotOrdinary):
        safe_reading.read(top, "special", limit=99)


def test_a_link_to_a_folder_is_not_followed_unless_the_user_chose_the_path(top: Path) -> None:
    (top / "link").symlink_to("folder")

    with pytest.raises(NotADirectoryError):
        safe_reading.read(top, "link/file", limit=99)

    assert safe_reading.read_chosen(top / "link" / "file", limit=99) == b"content"
