"""Signs of life of a running program: its output, its calls of tools, and its CPU time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

from mission.gateway.agent_calls import AgentCalls
from mission.runtime.adapters.client_events import ToolStarted
from mission.runtime.running import life_signs
from mission.runtime.running.life_signs import LifeSigns
from mission.runtime.running.tool_calls import ToolCalls

START = datetime(2026, 1, 1, tzinfo=UTC)


class Program:
    """A program that a test lets work, with the clock that everything reads."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = START
        self.cpu = 0.0
        self.calls = AgentCalls(lambda: self.now)
        self.signs = LifeSigns(lambda: self.now, self.calls)
        self.follower = SimpleNamespace(
            execution=SimpleNamespace(id="x_1", agent_id="a_1"),
            screen=SimpleNamespace(shown_at=START),
            process=SimpleNamespace(program=1),
            tool_calls=ToolCalls(),
        )
        monkeypatch.setattr(life_signs, "members", lambda *_, **__: [1])
        monkeypatch.setattr(life_signs, "cpu_seconds", lambda _: self.cpu)

    def after(self, *, minutes: int, cpu: float = 0.0) -> datetime:
        self.now += timedelta(minutes=minutes)
        self.cpu += cpu
        self.signs.sample([self.follower])
        return self.now

    @property
    def active_at(self) -> datetime | None:
        return self.signs.active_at(self.follower)


@pytest.fixture
def program(monkeypatch):
    return Program(monkeypatch)


def test_cpu_time_is_a_sign_of_life_and_a_waiting_event_loop_is_none(program):
    assert program.active_at == START
    first = program.after(minutes=1)
    program.after(minutes=1, cpu=life_signs.USED_SECONDS / 2)
    assert program.active_at == first

    worked = program.after(minutes=1, cpu=5.0)

    assert program.active_at == worked


def test_a_call_of_our_tools_is_a_sign_of_life_and_open_until_it_is_answered(program):
    program.after(minutes=1)
    called = program.after(minutes=9)

    with program.calls.during("a_1", is_long_poll=False):
        assert (program.active_at, program.signs.in_tool_since(program.follower)) == (called, called)
        answered = program.after(minutes=5)

    assert (program.active_at, program.signs.in_tool_since(program.follower)) == (answered, None)


def test_the_newest_open_call_counts_whoever_tells_of_it(program):
    program.follower.tool_calls.note(ToolStarted("c1"), at=START)
    assert program.signs.in_tool_since(program.follower) == START
    later = program.after(minutes=2)

    with program.calls.during("a_1", is_long_poll=False):
        assert program.signs.in_tool_since(program.follower) == later

    assert program.signs.in_tool_since(program.follower) == START
