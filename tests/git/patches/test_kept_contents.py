"""Contents kept for a snapshot: read back by id, and nothing of a file that is damaged."""

from __future__ import annotations

from pathlib import Path

import pytest

from mission.git.patches.kept_contents import KeptContents, Packing


@pytest.fixture
def file(tmp_path: Path) -> Path:
    packing = Packing()
    for id, content in (("id1", b"first\n"), ("id2", b"\0binary\xff"), ("id1", b"first\n")):
        packing.add(id, content)
    stored = tmp_path / "kept"
    stored.write_bytes(packing.packed({b"caf\xe9": "larger than 1 MB"}))
    return stored


def test_contents_and_what_was_left_out_are_read_back(file: Path) -> None:
    kept = KeptContents(file)

    assert (kept.content("id1"), kept.content("id2"), kept.content("id3")) == (b"first\n", b"\0binary\xff", None)
    assert kept.left_out == {b"caf\xe9": "larger than 1 MB"}
    assert (kept.why_not(b"caf\xe9"), kept.why_not(b"other")) == ("larger than 1 MB", None)
    kept.close()


def test_a_missing_file_holds_nothing(tmp_path: Path) -> None:
    kept = KeptContents(tmp_path / "nowhere", failure="the disk was full")

    assert (kept.content("id1"), kept.left_out, kept.why_not(b"any")) == (None, {}, "the disk was full")
    kept.close()


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
def test_a_file_that_was_cut_short_holds_nothing(file: Path, part: float) -> None:
    whole = file.read_bytes()
    file.write_bytes(whole[: int(len(whole) * part)])

    assert KeptContents(file).content("id1") is None


def test_a_damaged_content_is_not_taken_for_what_was_there(file: Path) -> None:
    whole = bytearray(file.read_bytes())
    whole[whole.index(b"id1") + 3] ^= 0xFF
    file.write_bytes(whole)
    kept = KeptContents(file)

    assert kept.content("id1") is None
    assert kept.content("id2") == b"\0binary\xff"
