"""The order of the inbox: items on a critical path first, then those that block the most, then the oldest."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from mission.domain.inbox.blocked_tasks import count_blocked
from mission.domain.missions.critical_path import PathStep, critical_path


class Rank(NamedTuple):
    """The urgency of an item: the greater, the sooner a person should look at it."""

    critical: bool = False
    """True if its task is on the critical path of its mission."""
    agents: int = 0
    tasks: int = 0
    """Open tasks that are stalled until it is closed, and the agents that own them."""


def rank_tasks(
    open_steps: Sequence[PathStep], stalled: Collection[str], *, typical: float | None, now: datetime
) -> dict[str, Rank]:
    """Return the rank of each stalled task of a mission, from the mission's open tasks."""
    critical = critical_path(open_steps, typical=typical, now=now).tasks
    blocked = count_blocked(open_steps, stalled)
    return {id: Rank(id in critical, blocked[id].agents, blocked[id].tasks) for id in stalled}


def most_urgent_first(oldest_first: Sequence[str], ranks: Mapping[str, Rank]) -> list[str]:
    """Return the ids by rank, the highest first; equal ones stay in the order of their age."""
    return sorted(oldest_first, key=lambda id: ranks.get(id, Rank()), reverse=True)
