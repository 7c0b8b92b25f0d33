"""What waits for a person, the most pressing first."""

from __future__ import annotations

from itertools import pairwise

import pytest

from mission.domain.errors import PermissionDenied
from mission.domain.inbox.item import ItemKind, ItemState
from mission.domain.tasks.hold import Hold, HoldKind
from mission.domain.tasks.states import TaskStatus
from mission.services.inbox import ranked_items
from mission.store.inbox.items import InboxFilter
from tests.store.rows import at

OPEN = InboxFilter(states=[ItemState.OPEN])


@pytest.fixture
def held(tx, rows):
    """An item whose task stands still, with so many others waiting for it."""

    def make(behind=0, *, minute=0, owner=None):
        mission = rows.mission()
        task = rows.task(mission, status=TaskStatus.PAUSED, owner_id=owner, hold=Hold(HoldKind.BLOCKED))
        # A longer chain next to it, so that the item's own task decides nothing.
        chain = [rows.task(mission, waiting_for=int(place > 0)) for place in range(behind + 3)]
        waiting = [rows.task(mission, waiting_for=1) for _ in range(behind)]
        tx.plans.add_dependencies([(later.id, sooner.id) for sooner, later in pairwise(chain)])
        tx.plans.add_dependencies([(each.id, task.id) for each in waiting])
        return rows.item(ItemKind.BLOCKER, mission_id=mission.id, task_id=task.id, created_at=at(minute)), task

    return make


def listed(tx, wanted=OPEN, **page):
    found, total = ranked_items.list_items(tx, wanted=wanted, **{"limit": 9, "offset": 0, **page})
    return [each.item.id for each in found], total


def test_what_holds_up_more_comes_first_and_then_the_oldest(tx, rows, held):
    plain_new = rows.item(created_at=at(9))
    plain_old = rows.item(created_at=at(1))
    little, _ = held(1, minute=8)
    much, _ = held(4, minute=9)

    assert listed(tx) == ([much.id, little.id, plain_old.id, plain_new.id], 4)
    assert listed(tx, limit=2, offset=1) == ([little.id, plain_old.id], 4)


def test_an_item_on_the_critical_path_goes_before_one_that_holds_up_more(tx, rows, held):
    many, _ = held(5)
    mission = rows.mission()
    task = rows.task(mission, status=TaskStatus.REVIEW)
    critical = rows.item(ItemKind.REVIEW, mission_id=mission.id, task_id=task.id, created_at=at(9))

    assert listed(tx)[0] == [critical.id, many.id]
    assert ranked_items.get(tx, item_id=critical.id, reader=None).rank.critical


def test_an_item_says_how_many_tasks_and_agents_it_holds_up(tx, held):
    item, _ = held(3, owner="a_1")

    rank = ranked_items.get(tx, item_id=item.id, reader=None).rank

    assert (rank.critical, rank.agents, rank.tasks) == (False, 1, 4)


def test_closed_items_are_listed_latest_first_and_hold_nothing(tx, rows, held):
    item, _ = held(3)
    closed = [rows.item(state=ItemState.ANSWERED, updated_at=at(minute)) for minute in (1, 2)]

    assert listed(tx, InboxFilter(states=[ItemState.ANSWERED])) == ([closed[1].id, closed[0].id], 2)
    both, total = ranked_items.list_items(tx, wanted=InboxFilter(states=list(ItemState)), limit=9, offset=0)
    assert total == 3
    assert {each.item.id: each.rank.tasks for each in both}[item.id] == 4


def test_an_agent_reads_no_mail_of_others(tx, rows):
    item = rows.item(ItemKind.MAIL, agent_id="a_1")

    assert ranked_items.get(tx, item_id=item.id, reader="a_1").item.id == item.id
    with pytest.raises(PermissionDenied):
        ranked_items.get(tx, item_id=item.id, reader="a_2")
