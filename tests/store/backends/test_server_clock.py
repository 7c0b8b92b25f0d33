"""The clock of a database server: it does not follow the clock of this host."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from mission.domain.timestamps import utc_now
from mission.settings import Settings
from mission.store.backends import server_clock
from mission.store.backends.server_clock import TOLERANCE, ServerClock
from mission.store.open_database import new_backend

SERVER = datetime(2031, 5, 1, 12, tzinfo=UTC)


@pytest.fixture
def passed(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds on the clock that nobody can set."""
    seconds = [100.0]
    monkeypatch.setattr(server_clock.time, "monotonic", lambda: seconds[0])
    return seconds


def test_the_servers_time_goes_on_whatever_this_host_shows(passed: list[float]) -> None:
    clock = ServerClock()
    clock.set(SERVER)
    passed[0] += 7.5

    assert clock() == SERVER + timedelta(seconds=7.5)


def test_small_differences_are_those_of_the_way_and_large_ones_are_followed(passed: list[float]) -> None:
    clock = ServerClock()
    clock.set(SERVER)

    clock.set(SERVER - TOLERANCE)
    assert clock() == SERVER
    clock.set(SERVER - timedelta(hours=1))
    assert clock() == SERVER - timedelta(hours=1)


def test_without_a_server_it_is_the_time_of_this_host() -> None:
    before = utc_now()

    assert before <= ServerClock()() <= utc_now()


def test_a_connection_sets_the_clock_of_postgresql(
    postgres_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_clock, "utc_now", lambda: SERVER)
    backend = new_backend(postgres_settings, role="a test")
    assert backend.clock() == SERVER

    with backend.connect() as connection:
        moment = connection.exec_driver_sql("SELECT clock_timestamp()").scalar_one()
        assert abs(backend.clock() - moment) < timedelta(minutes=5)
    backend.close()
