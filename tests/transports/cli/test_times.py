"""Times as people read them."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest

from mission.domain.timestamps import format_time
from mission.transports.cli.times import age_of, ago, clock, span


@pytest.fixture
def in_new_york(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def test_a_time_of_today_is_shown_in_the_persons_own_zone(in_new_york: None) -> None:
    now = datetime.now(UTC)

    assert clock(format_time(now), seconds=True) == f"{now.astimezone():%H:%M:%S}"
    assert clock(format_time(now)) == f"{now.astimezone():%H:%M}"


def test_another_day_is_named(in_new_york: None) -> None:
    assert clock("2026-01-15T02:30:00Z") == "2026-01-14 21:30"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "just now"), (59, "just now"), (61, "1 min ago"), (7_300, "2 h ago"), (200_000, "2 d ago"), (-5, "just now")],
)
def test_an_age_has_one_unit(seconds: int, words: str) -> None:
    assert ago(format_time(datetime.now(UTC) - timedelta(seconds=seconds))) == words


def test_what_is_unknown_is_empty() -> None:
    assert (ago(None), age_of(None), span(None)) == ("", "", "")
