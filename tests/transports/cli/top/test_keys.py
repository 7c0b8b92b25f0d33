"""Keys as a terminal sends them."""

from __future__ import annotations

import pytest

from mission.transports.cli.top.keys import KeyReader


@pytest.mark.parametrize(
    ("sent", "keys"),
    [
        (b"a1\r", ["a", "1", "enter"]),
        (b"\x1b[A\x1bOB\x1b[5~", ["up", "down", "page up"]),
        ("ü→".encode(), ["ü", "→"]),
        (b"\x7f\x15\t\x1b[Z", ["backspace", "clear", "tab", "shift tab"]),
        (b"\x1b[200~two\nlines\x1b[201~x", ["two lines", "x"]),
        (b"\x1b[99;99Rq", ["q"]),
        (b"\x01q", ["q"]),
        (b"\x1bq", ["esc", "q"]),
    ],
)
@pytest.mark.parametrize("at_once", [True, False])
def test_bytes_become_keys_however_they_are_split(sent: bytes, keys: list[str], at_once: bool) -> None:
    reader = KeyReader()
    pieces = [sent] if at_once else [bytes([byte]) for byte in sent]

    assert [key for piece in pieces for key in reader.feed(piece)] == keys


def test_esc_alone_is_a_key_once_nothing_follows() -> None:
    reader = KeyReader()

    assert reader.feed(b"\x1b") == []
    assert reader.is_inside_sequence
    assert reader.flush() == ["esc"]
