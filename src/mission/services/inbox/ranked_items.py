"""The inbox as it is read: items that wait for a person, most urgent first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from mission.domain.inbox.item import InboxItem, ItemState
from mission.domain.inbox.ranking import Rank, most_urgent_first, rank_tasks
from mission.domain.missions.estimate import MEASURED_TASKS, typical_seconds
from mission.store.inbox.items import InboxFilter, NamedItem, StalledTask
from mission.store.transaction import Tx


class RankedItem(NamedTuple):
    """An item as a person sees it."""

    named: NamedItem
    rank: Rank

    @property
    def item(self) -> InboxItem:
        return self.named.item


def get(tx: Tx, *, item_id: str, reader: str | None) -> RankedItem:
    """Return one item and what it blocks; `reader` is the calling agent, if any."""
    tx.inbox.get(item_id).check_reader(reader)
    (found,) = _ranked(tx.inbox.named([item_id]), _ranks(tx, tx.inbox.stalled(item_id=item_id)))
    return found


def list_items(tx: Tx, *, wanted: InboxFilter, limit: int, offset: int) -> tuple[list[RankedItem], int]:
    """Return a slice of the inbox, and how many items the reader may see in all.

    Items on the critical path come first, then those that block the most agents, then tasks, then the oldest. Closed
    items block nothing: a list that includes some has the newest first.
    """
    is_open = ItemState.OPEN in wanted.states
    ranks = _ranks(tx, tx.inbox.stalled(mission_id=wanted.mission_id, task_id=wanted.task_id)) if is_open else {}
    if list(wanted.states) != [ItemState.OPEN]:
        found, total = tx.inbox.page(wanted, limit=limit, offset=offset)
        return _ranked(found, ranks), total
    oldest_first = [id for _, id in tx.inbox.ages(wanted)]
    ids = most_urgent_first(oldest_first, ranks)
    return _ranked(tx.inbox.named(ids[offset : offset + limit]), ranks), len(ids)


def _ranks(tx: Tx, stalled: Sequence[StalledTask]) -> dict[str, Rank]:
    """Return the rank of each of these items, from the plans that their tasks belong to."""
    missions: dict[str, list[StalledTask]] = {}
    for each in stalled:
        missions.setdefault(each.mission_id, []).append(each)
    ranks: dict[str, Rank] = {}
    for mission_id, waiting in missions.items():
        steps = tx.overviews.open_steps(mission_id)
        typical = typical_seconds(tx.plans.latest_completed(mission_id, limit=MEASURED_TASKS))
        of_tasks = rank_tasks(steps, {each.task_id for each in waiting}, typical=typical, now=tx.now)
        ranks.update({each.id: of_tasks[each.task_id] for each in waiting})
    return ranks


def _ranked(found: Sequence[NamedItem], ranks: Mapping[str, Rank]) -> list[RankedItem]:
    return [RankedItem(named, ranks.get(named.item.id, Rank())) for named in found]
