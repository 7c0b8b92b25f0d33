"""Items that wait for a person."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mission.domain.errors import MissionError, NotFound
from mission.domain.inbox.item import ItemKind, ItemState
from mission.domain.tasks.states import TaskStatus
from mission.store.inbox.items import InboxFilter
from tests.store.rows import at

OPEN = InboxFilter(states=[ItemState.OPEN])


def ids(items):
    return [each.id for each in items]


def test_an_unknown_item_is_an_error_that_names_it(tx):
    with pytest.raises(NotFound, match="q_nowhere000"):
        tx.inbox.get("q_nowhere000")


def test_a_key_finds_the_open_item_and_remembers_that_it_was_asked(tx, rows):
    assert not tx.inbox.was_asked("k")
    closed = rows.item(once="k", state=ItemState.DISMISSED)
    assert (tx.inbox.open_with_key("k"), tx.inbox.was_asked("k")) == (None, True)

    item = rows.item(once="k")

    assert tx.inbox.open_with_key("k").id == item.id != closed.id


def test_open_items_have_every_given_value_and_come_oldest_first(tx, rows):
    new = rows.item(agent_id="a_1", created_at=at(2))
    old = rows.item(ItemKind.MAIL, agent_id="a_1", execution_id="x_1", created_at=at(1))
    rows.item(agent_id="a_1", state=ItemState.ANSWERED)
    rows.item(agent_id="a_2")

    assert ids(tx.inbox.open_where(agent_id="a_1")) == [old.id, new.id]
    assert ids(tx.inbox.open_where(agent_id="a_1", execution_id="x_1", task_id=None)) == [old.id]
    assert ids(tx.inbox.open_where(kinds=[ItemKind.QUESTION], agent_id="a_1")) == [new.id]


@pytest.mark.parametrize("kind", list(ItemKind))
@pytest.mark.parametrize("status", list(TaskStatus))
def test_an_item_holds_its_task_only_while_the_task_stands_still_for_it(tx, rows, kind, status):
    mission = rows.mission()
    task = rows.task(mission, status=status)
    item = rows.item(kind, mission_id=mission.id, task_id=task.id)
    rows.item(kind, mission_id=mission.id, task_id=task.id, state=ItemState.ANSWERED)
    rows.item(kind, mission_id=mission.id, task_id=task.id, entry_id="iss_1")

    held = kind in {ItemKind.QUESTION, ItemKind.BLOCKER, ItemKind.REVIEW}
    stands = (held and status in {TaskStatus.PAUSED, TaskStatus.REVIEW}) or kind is ItemKind.FAILURE
    assert tx.inbox.stalled() == [(item.id, task.id, mission.id)] * stands
    assert ids(tx.inbox.stalled(item_id=item.id)) == [item.id] * stands
    assert tx.inbox.stalled(mission_id="m_other") == []


@pytest.mark.parametrize("kind", list(ItemKind))
@pytest.mark.parametrize("reader", [None, "a_1", "a_2"])
def test_a_list_shows_a_reader_exactly_what_the_item_lets_it_read(tx, rows, kind, reader):
    item = rows.item(kind, agent_id="a_1")
    try:
        item.check_reader(reader)
        readable = True
    except MissionError:
        readable = False

    page, total = tx.inbox.page(InboxFilter(states=[ItemState.OPEN], reader=reader), limit=9, offset=0)

    assert ids(each.item for each in page) == [item.id] * readable
    assert total == readable


def test_items_are_named_in_the_order_asked_for_with_what_people_call_their_things(tx, rows):
    mission, agent = rows.mission("Shop"), rows.agent("ada")
    task = rows.task(mission, "Sort")
    whole = rows.item(mission_id=mission.id, task_id=task.id, agent_id=agent.id)
    bare = rows.item(ItemKind.HEALTH)

    named = tx.inbox.named([bare.id, "q_nowhere000", whole.id])

    assert [(each.item.id, each.mission_name, each.task_name, each.agent_name) for each in named] == [
        (bare.id, None, None, None),
        (whole.id, "Shop", "Sort", "ada"),
    ]


def test_lists_come_latest_first_and_ages_oldest_first(tx, rows):
    mission = rows.mission()
    first = rows.item(created_at=at(1), updated_at=at(9), mission_id=mission.id)
    second = rows.item(ItemKind.REVIEW, created_at=at(2), updated_at=at(2))
    tx.inbox.save(replace(second, count=3))

    page, total = tx.inbox.page(OPEN, limit=1, offset=0)
    rest, _ = tx.inbox.page(OPEN, limit=9, offset=1)

    assert ids(each.item for each in (*page, *rest)) == [first.id, second.id]
    assert (total, rest[0].item.count) == (2, 3)
    assert tx.inbox.ages(OPEN) == [(at(1), first.id), (at(2), second.id)]
    narrowed = InboxFilter(states=[ItemState.OPEN], kinds=[ItemKind.QUESTION], mission_id=mission.id)
    assert [id for _, id in tx.inbox.ages(narrowed)] == [first.id]


def test_items_are_found_in_the_order_of_their_ids_also_after_they_were_closed(tx, rows):
    opened, closed = rows.item(), rows.item(state=ItemState.ANSWERED)

    assert ids(tx.inbox.find([closed.id, "q_nowhere000", opened.id])) == [closed.id, opened.id]
