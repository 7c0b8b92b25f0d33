"""What an execution showed, for those who watch it."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from mission.runtime.runner.transcript import Transcript
from mission.runtime.running import screen as screen_module
from mission.runtime.running.screen import Screen, cast, last_shown, shown_before

NOW = datetime(2026, 1, 15, tzinfo=UTC)


async def all_of(watcher):
    pieces = []
    while (piece := await watcher.next()) is not None:
        pieces.append(piece)
    return "".join(pieces)


@given(text=st.text(max_size=30), cuts=st.lists(st.integers(0, 60)), joins=st.integers(0, 5))
def test_a_watcher_sees_the_whole_text_whenever_it_joins_and_however_characters_are_cut(text, cuts, joins):
    async def watched():
        data = text.encode("utf-8", "replace")
        edges = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
        screen = Screen()
        watcher = screen.join() if joins == 0 else None
        for number, (start, end) in enumerate(pairwise(edges), start=1):
            screen.show(data[start:end], stream="out", at=NOW)
            if number == joins:
                watcher = screen.join()
        watcher = watcher or screen.join()
        screen.close()
        watcher.offer(None)
        assert await all_of(watcher) == data.decode()

    asyncio.run(watched())


async def test_characters_of_the_two_streams_do_not_mix():
    screen = Screen()
    watcher = screen.join()
    first, rest = "ä".encode()[:1], "ä".encode()[1:]

    screen.show(first, stream="out", at=NOW)
    screen.show(b"error", stream="err", at=NOW)
    screen.show(rest, stream="out", at=NOW)
    screen.close()

    assert await all_of(watcher) == "errorä"


async def test_only_the_last_of_a_long_output_is_kept_for_those_who_come_later(monkeypatch):
    monkeypatch.setattr(screen_module, "MAX_CHARACTERS", 10)
    screen = Screen("history")
    for text in ("0123456789", "abcdef"):
        screen.show(text.encode(), stream="out", at=NOW)

    watcher = screen.join()

    assert watcher.has_history
    assert await watcher.next() == "abcdef"


async def test_a_watcher_that_cannot_keep_up_misses_something_but_sees_the_end(monkeypatch):
    monkeypatch.setattr(screen_module, "MAX_QUEUE_LENGTH", 3)
    screen = Screen()
    watcher = screen.join()
    assert not watcher.has_history

    for number in range(5):
        screen.show(str(number).encode(), stream="out", at=NOW)
    screen.close()

    assert await all_of(watcher) == "34"


async def test_one_that_left_is_told_nothing_more():
    screen = Screen()
    watcher, other = screen.join(), screen.join()

    screen.leave(watcher)
    screen.show(b"x", stream="out", at=NOW)
    screen.close()

    assert await all_of(other) == "x"
    assert watcher._pieces.empty()
    assert screen.shown_at == NOW


def test_a_transcript_in_pieces_is_replayed_as_one_without_what_was_typed(tmp_path):
    transcript = Transcript(str(tmp_path), rows=24, columns=80, title="t", piece_bytes=150)
    transcript.typed(b"hunter2\r")
    for number in range(6):
        transcript.output(f"line {number}\r\n".encode(), stream="out")
    transcript.resized(30, 100)
    transcript.close()
    assert len(list(tmp_path.iterdir())) > 1

    header, *events = map(json.loads, cast(tmp_path).splitlines())

    assert (header["version"], header["width"], header["height"]) == (2, 80, 24)
    assert "".join(text for _, kind, text in events if kind == "o") == "".join(f"line {n}\r\n" for n in range(6))
    assert [text for _, kind, text in events if kind == "r"] == ["100x30"]
    assert "hunter2" not in cast(tmp_path) + shown_before(tmp_path)
    assert shown_before(tmp_path) == "".join(f"line {n}\r\n" for n in range(6))


def test_of_a_long_transcript_the_last_is_shown_and_broken_lines_are_left_out(tmp_path, monkeypatch):
    monkeypatch.setattr(screen_module, "MAX_CHARACTERS", 5)
    lines = [{"version": 2, "timestamp": 1}, [0, "o", "0123"], [1, "o", "4567"], [2, "i", "secret"]]
    text = "\n".join(map(json.dumps, lines)) + '\n[3, "o", "cut o'
    (tmp_path / "transcript.cast").write_text(text)

    assert shown_before(tmp_path) == "34567"
    assert cast(tmp_path).count("\n") == 3


def test_without_a_transcript_nothing_was_shown(tmp_path):
    assert (cast(tmp_path), shown_before(tmp_path), last_shown(tmp_path)) == (None, "", None)
    assert cast(tmp_path / "nowhere") is None

    (tmp_path / "transcript.cast").touch()

    assert last_shown(tmp_path) is not None
