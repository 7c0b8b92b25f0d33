"""Calls of agents are signs of life: when each last called, and since when a call of it is answered."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from mission.gateway import agent_calls
from mission.gateway.agent_calls import AgentCalls

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Minutes:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now

    def pass_(self, minutes: int) -> None:
        self.now += timedelta(minutes=minutes)


def minute(number: int) -> datetime:
    return NOW + timedelta(minutes=number)


def test_a_call_is_open_while_it_is_answered_and_a_sign_of_life_when_it_begins_and_ends():
    clock = Minutes()
    calls = AgentCalls(clock)

    with calls.during("ada", is_long_poll=False):
        clock.pass_(5)
        with calls.during("ada", is_long_poll=False):
            clock.pass_(1)
            assert (calls.last_at("ada"), calls.open_since("ada")) == (minute(5), minute(5))
        assert (calls.last_at("ada"), calls.open_since("ada")) == (minute(6), minute(0))
        clock.pass_(3)

    assert (calls.last_at("ada"), calls.open_since("ada")) == (minute(9), None)
    assert (calls.last_at("bob"), calls.open_since("bob")) == (None, None)


def test_a_long_poll_is_a_sign_of_life_and_no_work_under_way():
    calls = AgentCalls(Minutes())

    with calls.during("ada", is_long_poll=True):
        assert (calls.last_at("ada"), calls.open_since("ada")) == (NOW, None)


def test_a_call_that_fails_is_over():
    calls = AgentCalls(Minutes())

    with pytest.raises(ValueError, match="no"), calls.during("ada", is_long_poll=False):
        raise ValueError("no")

    assert (calls.last_at("ada"), calls.open_since("ada")) == (NOW, None)


def test_agents_that_called_longest_ago_are_dropped(monkeypatch):
    monkeypatch.setattr(agent_calls, "MAX_AGENTS", 2)
    calls = AgentCalls(Minutes())

    for name in ("ada", "bob", "ada", "eve"):
        with calls.during(name, is_long_poll=False):
            pass

    assert [calls.last_at(name) for name in ("ada", "bob", "eve")] == [NOW, None, NOW]
