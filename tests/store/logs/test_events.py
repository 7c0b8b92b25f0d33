"""The event log: numbers without gap, reading from a number on, and what a restore does to readers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.store.rows import IN_TRANSACTION, at, undone


def event(type="task:updated", *, mission_id=None, minute=0, **data):
    return {"type": type, "at": at(minute), "mission_id": mission_id, "agent_ids": ["a_1"], "data": data}


@IN_TRANSACTION
@given(groups=st.lists(st.integers(1, 4), min_size=1, max_size=4), since=st.integers(0, 12), limit=st.integers(1, 12))
def test_numbers_go_on_without_gap_across_groups_and_readers_continue_behind_any_of_them(tx, groups, since, limit):
    with undone(tx):
        first = tx.events.newest()
        stored = [each for size in groups for each in tx.events.append([event(n=n) for n in range(size)])]

        assert [each.seq - first for each in stored] == list(range(1, sum(groups) + 1))
        assert tx.events.newest() == stored[-1].seq
        assert tx.events.since(first + since, limit=limit) == stored[since : since + limit]


def test_a_frame_shows_everything_but_whose_topic_the_event_is_on(tx):
    [stored] = tx.events.append([event("mail:new", mission_id="m_1", text="ä")])

    assert stored.frame() == {
        "seq": stored.seq,
        "type": "mail:new",
        "at": "2026-01-15T10:00:00Z",
        "mission_id": "m_1",
        "data": {"text": "ä"},
    }


def test_a_reader_of_one_mission_sees_only_its_events(tx):
    before = tx.events.newest()
    mine, _, also_mine = tx.events.append([event(mission_id=id) for id in ("m_1", "m_2", "m_1")])

    assert tx.events.since(before, limit=9, mission_id="m_1") == [mine, also_mine]
    assert tx.events.since(mine.seq, limit=9, mission_id="m_1") == [also_mine]


def test_events_about_an_id_are_the_newest_that_name_it_in_order(tx):
    about = [event("task:updated", mission_id="m_1", id="t_1", n=n) for n in range(3)]
    others = [
        event("task:updated", mission_id="m_1", id="t_2"),
        event("task:updated", mission_id="m_2", id="t_1"),
        event("mail:new", mission_id="m_1", id="t_1"),
    ]
    stored = tx.events.append([*about, *others])

    found = tx.events.about("t_1", mission_id="m_1", types=["task:updated"], limit=2)

    assert found == stored[1:3]


def test_old_events_go_oldest_first_and_the_next_number_stays(tx):
    stored = tx.events.append([event(minute=minute) for minute in (1, 2, 3)])

    assert tx.events.remove_before(at(3), limit=1) == 1
    assert tx.events.oldest() == stored[1].seq
    assert tx.events.remove_before(at(9), limit=9) == 2
    assert tx.events.oldest() == stored[-1].seq + 1 == tx.events.newest() + 1


def test_an_event_that_is_still_fresh_is_not_removed(tx):
    tx.events.append([event(minute=5), event(minute=1)])

    assert tx.events.remove_before(at(3), limit=1) == 0


def test_after_a_restore_numbers_go_on_above_those_given_and_readers_begin_there(tx):
    [known] = tx.events.append([event()])

    tx.events.continue_after(known.seq + 10)

    assert tx.events.newest() == known.seq + 11
    assert tx.events.oldest() == known.seq + 12
    [after] = tx.events.append([event()])
    assert after.seq == tx.events.oldest() == known.seq + 12


def test_a_restore_that_lost_no_number_changes_nothing(tx):
    stored = tx.events.append([event(), event()])

    tx.events.continue_after(stored[-1].seq)

    assert (tx.events.newest(), tx.events.oldest()) == (stored[-1].seq, stored[0].seq)
