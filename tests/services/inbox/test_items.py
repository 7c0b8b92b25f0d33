"""Items put before a person, and their closing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.errors import InvalidInput
from mission.domain.inbox.item import SYSTEM, ItemKind, ItemState
from mission.domain.tasks.journal import EntryKind
from mission.services.inbox import items as inbox
from tests.store.rows import IN_TRANSACTION, NOW, undone


def put(tx, **fields):
    return inbox.open_item(tx, **{"kind": ItemKind.BLOCKER, "subject": "s", **fields})


@IN_TRANSACTION
@given(keys=st.lists(st.sampled_from([None, "a", "b"]), max_size=8))
def test_one_open_item_stands_for_everything_with_its_key(tx, keys):
    with undone(tx):
        for key in keys:
            put(tx, dedupe_key=key, body=str(key))

        counts = {each.once: each.count for each in tx.inbox.open_where() if each.once}
        assert counts == {key: keys.count(key) for key in set(keys) if key}
        assert sum(each.once is None for each in tx.inbox.open_where()) == keys.count(None)


def test_a_key_asks_again_once_the_item_is_closed(tx):
    first = put(tx, dedupe_key="k")
    inbox.dismiss(tx, item_id=first.id, by="human")

    assert put(tx, dedupe_key="k").id != first.id


@given(subject=st.text(max_size=500))
def test_a_subject_is_one_line_of_bounded_length(subject):
    line = inbox._line(subject)

    assert len(line) <= inbox.MAX_SUBJECT_LENGTH
    assert line == " ".join(line.split())


def test_a_review_can_be_accepted_or_sent_back_and_an_item_of_a_task_knows_its_mission(tx, rows):
    mission = rows.mission()
    task = rows.task(mission)

    item = put(tx, kind=ItemKind.REVIEW, task_id=task.id)

    assert [choice["label"] for choice in item.choices] == ["Approve", "Send back"]
    assert item.mission_id == mission.id


def test_a_blocker_of_the_journal_is_resolved_with_its_item_and_counted_once(tx, rows):
    mission = rows.mission()
    entry = rows.entry(rows.task(mission), EntryKind.ISSUE, open_blocker=True)
    tx.missions.count(mission.id, "blockers", more=1, now=NOW)
    item = put(tx, mission_id=mission.id, entry_id=entry.id)

    inbox.answer(tx, item_id=item.id, text="fixed", by="human")

    assert tx.missions.get(mission.id).blockers == 0
    assert not tx.journal.resolve(entry.id)


def test_items_are_withdrawn_in_the_systems_name_and_never_all_of_them(tx, rows):
    task = rows.task(rows.mission())
    mine, review = put(tx, task_id=task.id), put(tx, kind=ItemKind.REVIEW, task_id=task.id)
    other = put(tx)

    with pytest.raises(InvalidInput):
        inbox.withdraw(tx, reason="r")
    [closed] = inbox.withdraw(tx, reason="over", task_id=task.id, kinds=[ItemKind.BLOCKER])

    assert (closed.id, closed.state, closed.closed_by) == (mine.id, ItemState.DISMISSED, SYSTEM)
    assert {each.id for each in tx.inbox.open_where()} == {review.id, other.id}
