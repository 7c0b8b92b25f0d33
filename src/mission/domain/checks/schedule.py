"""The order of checks on one host: which queued check may start now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from mission.domain.checks.evidence import Evidence

_NEVER = datetime.min.replace(tzinfo=UTC)


def conflict(one: Evidence, other: Evidence) -> bool:
    """Return whether two checks may not run at the same time."""
    if set(one.check.uses) & set(other.check.uses):
        return True
    same = one.repository == other.repository
    return same and not (one.check.parallel and other.check.parallel)


def startable(
    queued: Sequence[Evidence],
    running: Sequence[Evidence],
    *,
    last_started: Mapping[str, datetime],
    limit: int,
) -> list[Evidence]:
    """Return the checks that may start now, in order.

    The mission whose last check started longest ago comes first, then its oldest check. A check that must wait for a
    running one also keeps later checks from overtaking it in what both need, so that nothing starves.
    """
    order = sorted(
        queued,
        key=lambda each: (last_started.get(each.mission_id, _NEVER), each.created_at, each.id),
    )
    busy = list(running)
    waiting: list[Evidence] = []
    chosen: list[Evidence] = []
    for each in order:
        if len(busy) >= limit or any(conflict(each, other) for other in (*busy, *waiting)):
            waiting.append(each)
        else:
            chosen.append(each)
            busy.append(each)
    return chosen
