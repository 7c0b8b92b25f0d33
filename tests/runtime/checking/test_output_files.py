"""The output of a check: while it runs, and as it is stored."""

from __future__ import annotations

from pathlib import Path

import pytest

from mission.runtime.checking import output_files
from mission.runtime.checking.output_files import printed_bytes, read_live, store_output, stored_output
from mission.runtime.runner.printed_output import PIECE_BYTES, PrintedOutput
from mission.services.checks.check_runner import OutputPiece
from tests.runtime.checking.conftest import hide

LINE = b"x" * 63 + b"\n"


def printed(folder: Path, *data: bytes) -> PrintedOutput:
    output = PrintedOutput(str(folder))
    for each in data:
        output.add(each)
    return output


def test_output_up_to_two_mib_is_stored_whole(tmp_path: Path):
    text = b"first\n" + LINE * (2 * PIECE_BYTES // 64 - 1)
    printed(tmp_path, text)

    tail = store_output(tmp_path, hide, printed=len(text))

    assert stored_output(tmp_path).encode() == text
    assert tail.encode() == text[-4_000:]
    assert [path.name for path in tmp_path.iterdir()] == ["output.txt"]


def test_of_longer_output_the_first_and_last_mib_are_stored(tmp_path: Path):
    text = b"first\n" + LINE * (5 * PIECE_BYTES // 64) + b"last\n"
    printed(tmp_path, text)

    store_output(tmp_path, hide, printed=len(text))

    head, _, tail = stored_output(tmp_path).partition("\n[… ")
    note, _, tail = tail.partition(" bytes left out …]\n")
    assert text.startswith(head.encode())
    assert text.endswith(tail.encode())
    assert len(head) + len(tail) + int(note.replace(",", "")) == len(text)
    assert all(PIECE_BYTES - 64 <= len(part) <= PIECE_BYTES for part in (head, tail))


def test_a_secret_that_arrives_in_two_chunks_or_two_pieces_is_masked(tmp_path: Path):
    filler = b"y" * (PIECE_BYTES - 3)
    printed(tmp_path, filler, b"\ns3c", b"ret-", b"s3cret\n")

    tail = store_output(tmp_path, hide, printed=len(filler) + 15)

    assert tail.endswith("y\n***\n")
    assert "s3cret" not in stored_output(tmp_path)


def test_storing_again_returns_the_same(tmp_path: Path):
    printed(tmp_path, b"one\r\ntwo\n")

    assert store_output(tmp_path, hide) == store_output(tmp_path, hide) == "one\r\ntwo\n"


def test_bytes_that_are_not_text_are_replaced_and_nul_is_escaped(tmp_path: Path):
    printed(tmp_path, b"a\xffb\0c\n")

    assert store_output(tmp_path, hide) == "a�b\\x00c\n"


def test_a_check_that_prints_nothing_has_an_empty_file(tmp_path: Path):
    assert store_output(tmp_path, hide, printed=0) == ""
    assert (tmp_path / "output.txt").read_bytes() == b""


def test_output_that_could_not_be_stored_is_mentioned(tmp_path: Path):
    printed(tmp_path, b"one\ntw")

    assert store_output(tmp_path, hide, printed=100) == "one\n\n[… 94 bytes could not be stored …]\n"


def test_a_folder_that_is_gone_has_no_output(tmp_path: Path):
    gone = tmp_path / "nowhere"

    assert (store_output(gone, hide), stored_output(gone), printed_bytes(gone)) == ("", "", 0)
    assert read_live(gone, hide, offset=7) == OutputPiece(text="", next_offset=0)


def test_live_output_continues_where_the_last_piece_ended(tmp_path: Path):
    output = printed(tmp_path, b"one\ntwo")
    first = read_live(tmp_path, hide, offset=0)
    output.add(b"\ns3cret-s3cret\n")

    second = read_live(tmp_path, hide, offset=first.next_offset)

    assert first == OutputPiece(text="one\n", next_offset=4)
    assert second == OutputPiece(text="two\n***\n", next_offset=22)
    assert read_live(tmp_path, hide, offset=22) == OutputPiece(text="", next_offset=22)


def test_an_offset_inside_of_a_line_never_shows_the_rest_of_a_secret(tmp_path: Path):
    printed(tmp_path, b"one\ns3cret-s3cret\ntwo\n")

    for offset in range(5, 18):
        assert read_live(tmp_path, hide, offset=offset).text == "two\n"
        assert read_live(tmp_path, hide, offset=offset - 22).text == "two\n"


def test_the_end_of_long_live_output_can_be_read_first(tmp_path: Path):
    printed(tmp_path, LINE * 100_000, b"last\n")

    piece = read_live(tmp_path, hide, offset=-100)

    assert piece.text.encode() == LINE + b"last\n"
    assert piece.left_out == 0


def test_live_output_that_is_no_longer_stored_is_skipped_and_counted(tmp_path: Path):
    total = PrintedOutput(str(tmp_path))
    total.add(LINE * (5 * PIECE_BYTES // 64))

    offset, seen, left_out = 0, 0, 0
    while (piece := read_live(tmp_path, hide, offset=offset)).next_offset != offset:
        offset, seen, left_out = piece.next_offset, seen + len(piece.text), left_out + piece.left_out

    assert offset == seen + left_out == total.total
    assert left_out >= PIECE_BYTES


def test_a_line_without_end_does_not_stop_live_output(tmp_path: Path):
    output = printed(tmp_path, b"word " * 100_000)
    offset, text = 0, ""
    while (piece := read_live(tmp_path, hide, offset=offset)).next_offset != offset:
        offset, text = piece.next_offset, text + piece.text
    assert 0 < len(text) < 20_000

    output.add(b"\nnext\n")

    assert read_live(tmp_path, hide, offset=offset).text == "next\n"


def test_pieces_make_room_for_the_stored_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    printed(tmp_path, b"one\n")
    write, attempts = output_files._write, []

    def full_at_first(folder: Path, text: str) -> None:
        attempts.append(sorted(path.name for path in folder.iterdir()))
        if len(attempts) == 1:
            raise OSError
        write(folder, text)

    monkeypatch.setattr(output_files, "_write", full_at_first)

    assert store_output(tmp_path, hide) == "one\n"
    assert attempts == [["printed.000000"], []]
    assert stored_output(tmp_path) == "one\n"
