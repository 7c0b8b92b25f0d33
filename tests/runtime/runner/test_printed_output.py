"""What a check prints, in pieces."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from mission.runtime.runner import printed_output
from mission.runtime.runner.printed_output import PrintedOutput


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(printed_output, "PIECE_BYTES", 4)
    monkeypatch.setattr(printed_output, "ROOM_BYTES", 2)


def pieces(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_the_first_piece_and_at_least_the_length_of_one_at_the_end_are_kept(tmp_path: Path):
    output = PrintedOutput(str(tmp_path))

    output.add(b"aaaabbbbccccdd")
    assert pieces(tmp_path) == {
        "printed.000000": b"aaaa",
        "printed.000002": b"cccc",
        "printed.000003": b"dd",
    }
    output.add(b"ddeeee")
    output.close()

    assert pieces(tmp_path) == {"printed.000000": b"aaaa", "printed.000004": b"eeee"}
    assert output.total == 20


def test_after_a_failure_nothing_more_is_stored_but_everything_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    output = PrintedOutput(str(tmp_path))
    output.add(b"aa")

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as broken:
        broken.setattr(os, "write", full)
        output.add(b"bb")
    output.add(b"cc")

    assert (output.problem, output.total) == ("No space left on device", 6)
    assert pieces(tmp_path) == {"printed.000000": b"aa"}


def test_a_folder_that_is_gone_is_a_problem_not_an_error(tmp_path: Path):
    output = PrintedOutput(str(tmp_path / "nowhere"))
    output.add(b"a")
    output.make_room()

    assert output.problem == "No such file or directory"


def test_room_is_made_at_the_end(tmp_path: Path):
    output = PrintedOutput(str(tmp_path))
    output.add(b"aaaabbb")

    output.make_room()

    assert pieces(tmp_path) == {"printed.000000": b"aaaa", "printed.000001": b"b"}
