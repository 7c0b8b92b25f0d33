"""Markers in an agent's output: found however it is cut, and harmless when they are wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mission.runtime.running.markers import MAX_MARKER_BYTES, Diagnostic, Marker, MarkerLine, MarkerReader
from tests.fault_cases import examples

X = "x_0123456789"


def marker(event_id: str = "e1", **changes: Any) -> bytes:
    signal = {"type": "progress", "summary": "half – done"}
    envelope = {"version": 1, "agentExecutionId": X, "eventId": event_id, "signal": signal, **changes}
    return b"@task::" + json.dumps(envelope, ensure_ascii=False).encode()


def read(*chunks: bytes) -> list[MarkerLine]:
    reader = MarkerReader(X)
    return [found for chunk in chunks for found in reader.feed(chunk)] + reader.end()


def test_a_marker_is_a_whole_line_that_starts_at_column_0():
    text = b"hello\n" + marker("a") + b"\r\n  " + marker("b") + b"\nsays " + marker("c") + b"\n" + marker("d")

    assert [(each.event_id, each.offset) for each in read(text)] == [("a", 6), ("d", text.rfind(b"@task"))]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"@task::{nonsense", "not one JSON object"),
        (b"@task::[1]", "not a JSON object"),
        (b"@task::" + b"[" * 10_000, "not one JSON object"),
        (marker("a") + marker("b"), "not one JSON object"),
        (marker("a")[:40] + b"compiling \xff\xfe" + marker("a")[40:], "not valid UTF-8"),
        (marker(version=True), "version must be 1"),
        (marker(version=2), "version must be 1"),
        (marker(agentExecutionId="x_another000"), "not the id of this execution"),
        (marker(eventId=7), "eventId"),
        (marker(signal="progress"), "signal must be"),
        (marker(signal={"type": "message", "text": "x" * MAX_MARKER_BYTES}), "longer than"),
        (marker().replace(b"@task", b"@mission"), "use @task::"),
    ],
)
def test_a_wrong_marker_is_a_diagnostic_and_the_next_one_is_read(line: bytes, reason: str):
    found = read(line + b"\n" + marker("good") + b"\n")

    assert isinstance(found[0], Diagnostic)
    assert reason in found[0].reason
    assert [type(each) for each in found[1:]] == [Marker]


@settings(max_examples=examples(60))
@given(st.data())
def test_the_same_is_found_however_the_stream_is_cut(data: st.DataObject):
    piece = st.sampled_from([marker("a"), marker("b"), b"@ta", b"\n", b"\n", b"noise \xc3", b"@task::{", b"x" * 20_000])
    stream = b"".join(data.draw(st.lists(piece, max_size=12)))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    whole = MarkerReader(X)
    pieces = MarkerReader(X)

    together = whole.feed(stream)
    apart = [found for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True) for found in pieces.feed(stream[a:b])]

    assert apart == together
    assert pieces.consumed == whole.consumed


def test_an_endless_line_is_not_kept():
    reader = MarkerReader(X)

    found = [each for _ in range(200) for each in reader.feed(b"@task::" + b"x" * 10_000)]

    assert [each.reason for each in found] == [f"the marker is longer than {MAX_MARKER_BYTES} bytes"]
    assert reader.consumed == 200 * 10_007


def test_a_reader_that_joins_in_the_middle_of_a_line_waits_for_the_next():
    reader = MarkerReader(X, offset=500, at_line_start=False)

    found = reader.feed(marker("old") + b"\n" + marker("new") + b"\n")

    assert [each.event_id for each in found if isinstance(each, Marker)] == ["new"]
    assert found[0].offset == 500 + len(marker("old")) + 1
