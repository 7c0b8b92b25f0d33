"""How long is left: one estimate, whoever asks for it and however large the plan is."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from statistics import median

MEASURED_TASKS = 50
"""How many of the tasks completed last tell what one usually takes."""

Span = tuple[datetime, datetime]
"""When a completed task began and ended."""


def typical_seconds(completed: Iterable[Span]) -> float | None:
    """What a task usually takes: the middle of the latest ones; nothing before the first has ended."""
    latest = sorted(completed, key=lambda span: span[1], reverse=True)[:MEASURED_TASKS]
    return median(max(0.0, (ended - began).total_seconds()) for began, ended in latest) if latest else None


def seconds_left(*, tasks: int, typical: float | None, parallel: int) -> float | None:
    """How long so many tasks take, as many side by side as may be; nothing while no task has shown how long one is."""
    return None if typical is None else round(tasks * typical / parallel, 3)
