"""The human's queue as it is read: what waits for a person, the most pressing first."""

from __future__ import annotations

from collections.abc import Sequence

from mission.domain.critical import critical_path
from mission.domain.estimate import MEASURED_TASKS, typical_seconds
from mission.domain.inbox import ItemState
from mission.store.inbox import Ranked, Wanted
from mission.store.transaction import Tx

MOST_STANDING = 500
MOST_MISSIONS = 50
"""How much is looked at for the critical path: who has more waiting sees the rest by what it holds up."""


def look(tx: Tx, *, item_id: str, reader: str | None) -> Ranked:
    """One item and what it holds up; `reader` is the agent that asks, if it is one."""
    found = tx.inbox.ranked(item_id)
    found.item.check_reader(reader)
    if not found.holds_tasks or found.item.mission_id is None:
        return found
    return _marked(found, _critical_tasks(tx, [found.item.mission_id]))


def page(tx: Tx, *, wanted: Wanted, limit: int, offset: int) -> tuple[list[Ranked], int]:
    """What waits for a person and how many there are in all that the reader may see.

    First what stands on the critical path, then what holds up the most agents, then tasks, then the oldest.
    """
    critical: frozenset[str] = frozenset()
    if ItemState.OPEN in wanted.states:
        standing = tx.inbox.standing(mission_id=wanted.mission_id, limit=MOST_STANDING)
        ids = list(dict.fromkeys(standing.values()))[:MOST_MISSIONS]
        critical = frozenset(standing) & _critical_tasks(tx, ids)
    found, total = tx.inbox.page(wanted, first=sorted(critical), limit=limit, offset=offset)
    return [_marked(ranked, critical) for ranked in found], total


def _critical_tasks(tx: Tx, mission_ids: Sequence[str]) -> frozenset[str]:
    """The open tasks that decide when their mission is done."""
    plans = tx.overviews.open_steps(mission_ids) if mission_ids else {}
    paths = []
    for mission_id, steps in plans.items():
        typical = typical_seconds(tx.plans.latest_completed(mission_id, limit=MEASURED_TASKS))
        paths.append(critical_path(steps, typical=typical, now=tx.now).tasks)
    return frozenset().union(*paths)


def _marked(ranked: Ranked, critical: frozenset[str]) -> Ranked:
    return ranked._replace(critical=ranked.holds_tasks > 0 and ranked.item.task_id in critical)
