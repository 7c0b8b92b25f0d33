"""Lines that are written without waiting for a reader, as far as it has room."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator

import pytest

from mission.transports.bridge.line_io import LineReader, LineWriter

Pipe = tuple[int, int]


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    ends = os.pipe()
    yield ends
    for end in ends:
        os.close(end)


def test_a_line_that_fits_is_written_at_once(pipe: Pipe) -> None:
    writer = LineWriter(pipe[1])

    assert writer.write_some(b'{"a":\n1}') is None
    assert writer.write_some(b"x" * 20_000) is None
    assert os.read(pipe[0], 100_000) == b'{"a": 1}\n' + b"x" * 20_000 + b"\n"


def test_the_rest_of_a_line_waits_for_its_reader_and_others_come_after_it(pipe: Pipe) -> None:
    writer, lines = LineWriter(pipe[1]), LineReader(pipe[0])
    long = b"y" * 500_000

    rest = writer.write_some(long)
    behind = writer.write_some(b"second")
    assert rest is not None
    assert behind is not None, "it must not cut the first line in two"
    threads = [threading.Thread(target=each) for each in (behind, rest)]
    for thread in threads:
        thread.start()
    found = [next(lines), next(lines)]
    for thread in threads:
        thread.join()

    assert found == [long, b"second"]
    assert writer.write_some(b"third") is None


def test_a_reader_that_left_is_an_error_and_the_writer_stays_usable() -> None:
    read, write = os.pipe()
    os.close(read)
    writer = LineWriter(write)

    for _ in range(2):
        with pytest.raises(BrokenPipeError):
            writer.write_some(b"nobody reads this")
    os.close(write)
