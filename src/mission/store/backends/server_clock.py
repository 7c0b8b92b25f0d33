"""The clock of a database server, which all daemons on the database share: none of them depends on its own host's."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

from mission.domain.timestamps import utc_now

TOLERANCE = timedelta(seconds=0.1)
"""Smaller differences are those of the way to the server; following them would let the time go back and forth."""


class ServerClock:
    """The server's time: read now and then, and continued in between by a clock that nobody can set."""

    def __init__(self) -> None:
        self._read: tuple[datetime, float] | None = None

    def __call__(self) -> datetime:
        """Return the time on the server, or on this host as long as the server was not asked."""
        if self._read is None:
            return utc_now()
        moment, at = self._read
        return moment + timedelta(seconds=time.monotonic() - at)

    def set(self, moment: datetime) -> None:
        """Take the time that the server has just given."""
        if self._read is None or abs(moment - self()) > TOLERANCE:
            self._read = (moment.astimezone(UTC), time.monotonic())
