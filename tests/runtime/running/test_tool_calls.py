"""Tool calls that a client has open, as far as its output tells."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from mission.runtime.adapters.client_events import ToolEnded, ToolStarted
from mission.runtime.adapters.pi import LAUNCH
from mission.runtime.running.tool_calls import ToolCalls, calls_shown

NOW = datetime(2026, 1, 1, tzinfo=UTC)
LATER = NOW + timedelta(minutes=5)


def test_the_newest_open_call_counts_and_then_the_one_around_it():
    calls = ToolCalls()
    assert calls.since is None

    calls.note(ToolStarted("helper"), at=NOW)
    calls.note(ToolStarted("shell"), at=LATER)
    calls.note(ToolStarted("helper"), at=LATER)  # told again, it began no later
    assert calls.since == LATER
    calls.note(ToolEnded("shell"), at=LATER)
    assert calls.since == NOW
    calls.note(ToolEnded("helper"), at=LATER)
    calls.note(ToolEnded("unknown"), at=LATER)

    assert calls.since is None


def test_earlier_output_tells_which_calls_are_open_at_its_end():
    started, ended = (f'{{"type": "tool_execution_{what}", "toolCallId": "c1"}}\n' for what in ("start", "end"))
    assert LAUNCH.read is not None

    assert calls_shown(f'"cut": 1}}\n{started}noise\n', LAUNCH.read, at=NOW).since == NOW
    assert calls_shown(started + ended, LAUNCH.read, at=NOW).since is None
    assert calls_shown("", LAUNCH.read, at=NOW).since is None
