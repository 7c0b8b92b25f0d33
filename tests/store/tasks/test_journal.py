"""The journal: entries numbered per task, listed per mission."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.errors import NotFound
from mission.domain.tasks.journal import EntryKind
from mission.store.sql.pages import Filter
from tests.store.rows import IN_TRANSACTION, at, undone


def test_an_entry_for_an_unknown_task_is_refused(tx):
    with pytest.raises(NotFound, match="t_nowhere000"):
        tx.journal.next_sequence("t_nowhere000")


@IN_TRANSACTION
@given(written=st.lists(st.sampled_from([0, 1]), max_size=10))
def test_entries_are_numbered_per_task_without_gap(tx, written):
    with undone(tx) as rows:
        mission = rows.mission()
        tasks = [rows.task(mission), rows.task(mission)]

        for place in written:
            rows.entry(tasks[place])

        for place, task in enumerate(tasks):
            found = tx.journal.of_task(task.id, kinds=list(EntryKind), since=0, limit=99)
            assert [entry.sequence for entry in found] == list(range(1, written.count(place) + 1))


def test_counting_an_entry_tells_what_it_needs_to_know_about_its_task(tx, rows):
    mission = rows.mission()
    task = rows.task(mission, phase=2, agent_name="ada", owner_id="a_1")

    assert tx.journal.next_sequence(task.id) == (1, mission.id, 2, "ada", "a_1")


def test_a_reader_goes_on_behind_a_number_and_sees_only_the_kinds_it_asks_for(tx, rows):
    task = rows.task(rows.mission())
    for kind in (EntryKind.PLAN, EntryKind.PROGRESS, EntryKind.ISSUE, EntryKind.PROGRESS):
        rows.entry(task, kind)

    def numbers(**page):
        wanted = {"kinds": list(EntryKind), "since": 0, "limit": 9, **page}
        return [entry.sequence for entry in tx.journal.of_task(task.id, **wanted)]

    assert numbers(since=2) == [3, 4]
    assert numbers(limit=2) == [1, 2]
    assert numbers(kinds=[EntryKind.PROGRESS]) == [2, 4]
    assert [entry.sequence for entry in tx.journal.latest_of_task(task.id, limit=3)] == [2, 3, 4]


def test_a_blocker_is_resolved_once(tx, rows):
    task = rows.task(mission := rows.mission())
    blocker = rows.entry(task, EntryKind.ISSUE, open_blocker=True)
    note = rows.entry(task, EntryKind.ISSUE)

    def blockers():
        found = tx.journal.page(mission.id, EntryKind.ISSUE, Filter(), limit=9, after=None, blockers=True)
        assert tx.journal.count(mission.id, EntryKind.ISSUE, Filter(), blockers=True) == len(found)
        return [entry.id for entry in found]

    assert blockers() == [blocker.id]
    assert [tx.journal.resolve(blocker.id), tx.journal.resolve(blocker.id), tx.journal.resolve(note.id)] == [
        True,
        False,
        False,
    ]
    assert blockers() == []


def test_a_mission_lists_one_kind_newest_first_and_counts_it(tx, rows):
    mission = rows.mission()
    ada, bob = rows.task(mission), rows.task(mission, phase=2)
    first = rows.entry(ada, created_at=at(1), agent_name="ada")
    second = rows.entry(bob, created_at=at(2), agent_name="bob")
    rows.entry(ada, EntryKind.MILESTONE, created_at=at(3))

    def listed(chosen, after=None):
        return [entry.id for entry in tx.journal.page(mission.id, EntryKind.DECISION, chosen, limit=9, after=after)]

    assert listed(Filter()) == [second.id, first.id]
    assert listed(Filter(), after=(at(2), second.id)) == [first.id]
    assert listed(Filter(agent="bob")) == [second.id]
    assert listed(Filter(phase=1, since=at(2))) == []
    assert tx.journal.count(mission.id, EntryKind.DECISION, Filter(phase=1)) == 1
