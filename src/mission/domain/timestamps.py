"""Timestamps: always UTC, read as ISO 8601, Unix seconds or milliseconds, shown as ISO 8601 with Z."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from mission.domain.errors import InvalidInput

Clock = Callable[[], datetime]

_MILLISECONDS_FROM = 100_000_000_000  # larger Unix numbers are milliseconds: as seconds they are past the year 5000


def utc_now() -> datetime:
    return datetime.now(UTC)


def format_time(moment: datetime | None) -> str | None:
    """Return the moment as callers see it, e.g. 2026-01-15T10:00:00.123456Z."""
    return None if moment is None else moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def parse_time(value: str | int | float, *, field: str) -> datetime:
    """Return the moment for an ISO text or a Unix number."""
    try:
        if isinstance(value, str) and not _is_number(value):
            moment = datetime.fromisoformat(value)
            return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
        number = float(value)
        return datetime.fromtimestamp(number / 1000 if abs(number) > _MILLISECONDS_FROM else number, UTC)
    except (ValueError, OverflowError, OSError):
        raise InvalidInput(
            f"{field}: '{str(value)[:60]}' is not a time",
            hint="Use ISO 8601 such as 2026-01-15T10:00:00Z, or Unix seconds or milliseconds.",
            field=field,
        ) from None


def seconds_between(start: datetime | None, end: datetime | None) -> float | None:
    """Return wall-clock seconds, rounded to milliseconds; None if either end is missing."""
    if start is None or end is None:
        return None
    return round(max(0.0, (end - start).total_seconds()), 3)


def span_in_words(span: timedelta) -> str:
    """Return a duration as people read it: `38 min`, `1 h 44 min` or `3 d 4 h`."""
    minutes = max(0, round(span.total_seconds() / 60))
    if minutes < 60:
        return f"{minutes} min" if minutes else "less than a minute"
    hours, minutes = divmod(minutes, 60)
    if hours < 24:
        return f"{hours} h {minutes:02} min" if minutes else f"{hours} h"
    days, hours = divmod(hours, 24)
    return f"{days} d {hours} h" if hours else f"{days} d"


def _is_number(text: str) -> bool:
    return text.strip().lstrip("+-").replace(".", "", 1).isdigit()
