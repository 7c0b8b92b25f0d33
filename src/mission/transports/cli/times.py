"""Times as people read them: in their own time zone, or as an age."""

from __future__ import annotations

from datetime import UTC, datetime


def ago(moment: str | None) -> str:
    """Return an ISO timestamp as an age, such as '2 min ago'."""
    if not moment:
        return ""
    seconds = _seconds_since(moment)
    return "just now" if seconds < 60 else f"{span(seconds)} ago"


def age_of(moment: str | None) -> str:
    """Return the time since an ISO timestamp, such as '2 min'."""
    return span(_seconds_since(moment)) if moment else ""


def span(seconds: float | None) -> str:
    """Return a length of time in its largest unit, such as '2 min' or '3 h'; '' if it is unknown."""
    if seconds is None:
        return ""
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return f"{int(seconds)} s"


def _seconds_since(moment: str) -> float:
    return max(0.0, (datetime.now(UTC) - datetime.fromisoformat(moment)).total_seconds())


def clock(moment: str, *, seconds: bool = False) -> str:
    """Return an ISO timestamp as local time; another day is named."""
    local = datetime.fromisoformat(moment).astimezone()
    shown = f"{local:%H:%M:%S}" if seconds else f"{local:%H:%M}"
    return shown if local.date() == datetime.now().astimezone().date() else f"{local:%Y-%m-%d} {shown}"
