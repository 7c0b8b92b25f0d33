"""Output that waits for the daemon."""

from __future__ import annotations

import pytest

from mission.runtime.runner import daemon_connection
from mission.runtime.runner.daemon_connection import ProgramOutput


def test_what_was_taken_leaves_room_for_exactly_as_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daemon_connection, "WINDOW_BYTES", 1000)
    output = ProgramOutput()
    for _ in range(5000):
        frame = output.add(b"x", stream="out")
        output.take(frame["output"]["end"])

    output.add(b"x" * 999, stream="err")
    assert not output.is_full
    frame = output.add(b"x", stream="out")

    assert output.is_full
    output.take(frame["output"]["end"] - 1)
    assert (output.is_full, output.is_taken) == (False, False)
    output.take(frame["output"]["end"])
    assert output.is_taken
