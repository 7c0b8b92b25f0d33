"""A transcript in pieces: the first stays, old ones make room, and a full disk ends nothing."""

from __future__ import annotations

import errno
import json
import os
import stat
from pathlib import Path

import pytest

from mission.runtime.runner import transcript as module
from mission.runtime.runner.transcript import Transcript, pieces


def shown(folder):
    """Every output that the transcript still holds."""
    found = []
    for piece in pieces(str(folder)):
        header, *events = map(json.loads, Path(piece).read_text().splitlines())
        assert header["version"] == 2
        found += [text for _, kind, text in events if kind == "o"]
    return found


@pytest.fixture
def transcript(tmp_path):
    made = Transcript(str(tmp_path), rows=24, columns=80, title="t", piece_bytes=200, pieces=3)
    yield made
    made.close()


def test_old_pieces_make_room_but_the_first_stays(tmp_path, transcript):
    for number in range(60):
        transcript.output(b"%03d" % number, stream="out")

    kept = shown(tmp_path)

    assert len(pieces(str(tmp_path))) <= 3
    assert kept[0] == "000"
    assert kept[-1] == "059"
    assert len(kept) < 60
    assert kept == sorted(kept)


def test_it_is_readable_by_its_owner_only(tmp_path, transcript):
    transcript.output(b"secret", stream="out")

    assert {stat.S_IMODE(Path(piece).stat().st_mode) for piece in pieces(str(tmp_path))} == {0o600}


def test_characters_cut_between_reads_are_put_together_per_stream(tmp_path, transcript):
    whole = "ä".encode()
    transcript.output(whole[:1], stream="out")
    transcript.output(b"e", stream="err")
    transcript.output(whole[1:], stream="out")

    assert shown(tmp_path) == ["e", "ä"]


def test_a_resized_terminal_is_the_size_of_the_pieces_that_follow(tmp_path, transcript):
    transcript.resized(30, 100)
    for _ in range(20):
        transcript.output(b"x" * 20, stream="out")

    headers = [json.loads(Path(piece).read_text().splitlines()[0]) for piece in pieces(str(tmp_path))]

    assert (headers[0]["width"], headers[0]["height"]) == (80, 24)
    assert (headers[-1]["width"], headers[-1]["height"]) == (100, 30)


def test_what_a_full_disk_does_not_take_is_counted_and_later_output_is_written(tmp_path, transcript, monkeypatch):
    transcript.output(b"before", stream="out")
    write = os.write

    def full(*_):
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(module.os, "write", full)
    transcript.output(b"lost", stream="out")
    monkeypatch.setattr(module.os, "write", lambda file, line: write(file, line[:5]))
    transcript.output(b"half", stream="out")
    monkeypatch.setattr(module.os, "write", write)
    transcript.output(b"after", stream="out")

    assert transcript.missing == 2
    assert shown(tmp_path) == ["before", "after"]


def test_a_folder_without_a_transcript_has_no_pieces(tmp_path):
    (tmp_path / "transcript.launch.json").touch()

    assert pieces(str(tmp_path)) == pieces(str(tmp_path / "nowhere")) == []
