"""When `mission top` reads again."""

from __future__ import annotations

import json

import pytest

from mission.transports.cli.top import feed

EVENT = {"seq": 5, "type": "task:updated", "at": "2026-01-15T10:00:27Z", "data": {}}
SUBSCRIBED = {"type": "subscribed", "topic": "global", "seq": 4}


class Socket:
    """A connection on which time passes with each frame."""

    def __init__(self, frames: list[dict[str, object]], *, every: float) -> None:
        self.now = 0.0
        self._frames = frames
        self._every = every

    def recv(self, timeout: float) -> str:
        if timeout < self._every or not self._frames:
            self.now += timeout
            raise TimeoutError
        self.now += self._every
        return json.dumps(self._frames.pop(0))


@pytest.mark.parametrize(
    ("frames", "every", "waited"),
    [
        ([EVENT] * 10_000, 0.01, feed.BURST_SECONDS),  # a stream without a pause is read all the same
        ([SUBSCRIBED], 0.01, feed.REREAD_SECONDS),
        ([], 1.0, feed.REREAD_SECONDS),
    ],
)
def test_it_reads_shortly_after_an_event_and_now_and_then_without_one(
    monkeypatch: pytest.MonkeyPatch, frames: list[dict[str, object]], every: float, waited: float
) -> None:
    socket = Socket(list(frames), every=every)
    monkeypatch.setattr(feed.time, "monotonic", lambda: socket.now)

    feed.await_change(socket)

    assert waited <= socket.now <= waited + 1.5
