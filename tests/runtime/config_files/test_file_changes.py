"""Files of other programs: written whole or not at all, and put back."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mission.domain.errors import Conflict, InvalidState
from mission.runtime.config_files.file_changes import Backups, Change, read, undo, write


def test_a_linked_file_stays_a_link_and_keeps_its_mode(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "settings.json"
    real.parent.mkdir()
    real.write_text("old\n")
    real.chmod(0o600)
    link = tmp_path / "settings.json"
    link.symlink_to(real)

    write([Change(path=link, before="old\n", after="new\n")])

    assert link.is_symlink()
    assert real.read_text() == "new\n"
    assert real.stat().st_mode & 0o777 == 0o600
    assert list(real.parent.iterdir()) == [real]


def test_line_ends_are_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"a\r\nb\n")

    write([Change(path=file, before=read(file), after="a\r\nb\nc\r\n")])

    assert file.read_bytes() == b"a\r\nb\nc\r\n"


def test_a_file_that_changed_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    two.write_text("theirs")

    with pytest.raises(Conflict, match=r"just changed .*two"):
        write([Change(path=one, before=None, after="x"), Change(path=two, before="seen", after="x")])

    assert not one.exists()
    assert two.read_text() == "theirs"


def test_when_one_file_cannot_be_written_the_others_are_put_back(tmp_path: Path) -> None:
    first = tmp_path / "first"
    first.write_text("as it was")
    (tmp_path / "file").write_text("")

    with pytest.raises(InvalidState, match="Could not"):
        write(
            [
                Change(path=first, before="as it was", after="new"),
                Change(path=tmp_path / "new" / "folder" / "x", before=None, after="x"),
                Change(path=tmp_path / "file" / "below", before=None, after="x"),
            ]
        )

    assert first.read_text() == "as it was"
    assert not (tmp_path / "new").exists()


def test_undo_leaves_what_somebody_wrote_since(tmp_path: Path) -> None:
    file = tmp_path / "a"
    change = Change(path=file, before=None, after="ours")
    write([change])
    file.write_text("theirs")

    undo([change])

    assert file.read_text() == "theirs"


def test_a_backup_is_for_its_owner_only_and_gives_the_original_while_nobody_wrote_since(tmp_path: Path) -> None:
    backups = Backups(tmp_path / "backups" / "clients")
    file = tmp_path / "a.json"
    backups.keep(Change(path=file, before="original", after="ours"), made=(), had_ours=False)
    backups.keep(Change(path=file, before="ours", after="ours too"), made=(), had_ours=True)

    assert backups.original(file, present="ours too") == (True, "original")
    assert backups.original(file, present="theirs") == (False, None)
    [kept] = backups.folder.iterdir()
    assert kept.stat().st_mode & 0o777 == 0o600


def test_a_text_that_is_not_utf_8_is_refused_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_bytes(b"{\n\xff}")

    with pytest.raises(InvalidState, match=r"a\.json, line 2"):
        read(file)


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_what_is_no_ordinary_file_is_refused_without_waiting(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "mcp.json"
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")

    with pytest.raises(InvalidState, match="not a regular file"):
        read(path)
