"""What is known of a mission, section by section and page by page."""

from __future__ import annotations

import pytest

from mission.domain.errors import NotFound
from mission.domain.missions.phase import PhaseStatus
from mission.domain.tasks.journal import EntryKind
from mission.services.missions import context
from mission.services.missions.context import ContextSection
from mission.store.sql.pages import Filter
from tests.store.rows import NOW, at


@pytest.fixture
def mission(tx, rows):
    """Two phases, three tasks, two decisions, one open and one closed issue."""
    made = rows.mission(total_phases=2)
    rows.phase(made, 1, status=PhaseStatus.COMPLETED)
    tasks = [rows.task(made, name, phase=phase, created_at=at(phase)) for name, phase in (("a", 1), ("b", 2))]
    rows.task(made, "c", phase=2, created_at=at(3))
    for minute, task in enumerate(tasks):
        rows.entry(task, EntryKind.DECISION, summary=f"decision {minute}", created_at=at(minute), agent_name="ada")
        rows.entry(task, EntryKind.ISSUE, open_blocker=bool(minute), created_at=at(minute))
    tx.missions.count(made.id, "decisions", more=2, now=NOW)
    tx.missions.count(made.id, "blockers", more=1, now=NOW)
    return made


def read(tx, mission, *include, limit=9, after=None, **chosen):
    return context.read(
        tx,
        mission_id=mission.id,
        include=include or list(ContextSection),
        chosen=Filter(**chosen),
        limit=limit,
        after=after,
    )


def names(found, section):
    return [getattr(row, "name", None) or row.summary for row in found.rows[section]]


def test_sections_come_newest_first_and_only_those_that_were_asked_for(tx, mission):
    found = read(tx, mission, ContextSection.TASKS, ContextSection.DECISIONS)

    assert names(found, ContextSection.TASKS) == ["c", "b", "a"]
    assert names(found, ContextSection.DECISIONS) == ["decision 1", "decision 0"]
    assert set(found.rows) == set(found.totals) == {ContextSection.TASKS, ContextSection.DECISIONS}
    assert (found.current_phase, [phase.number for phase in found.phases]) == (2, [1, 2])


def test_pages_follow_each_other_and_a_section_that_has_ended_stays_away(tx, mission):
    sections = (ContextSection.TASKS, ContextSection.BLOCKERS)
    first = read(tx, mission, *sections, limit=1)
    second = read(tx, mission, *sections, limit=1, after=first.next)
    third = read(tx, mission, *sections, limit=1, after=second.next)

    assert [len(first.rows[section]) for section in sections] == [1, 1]
    assert list(second.rows) == list(third.rows) == [ContextSection.TASKS]
    assert [names(page, ContextSection.TASKS) for page in (first, second, third)] == [["c"], ["b"], ["a"]]
    assert third.next == {}
    assert third.totals == first.totals == {ContextSection.TASKS: 3, ContextSection.BLOCKERS: 1}


@pytest.mark.parametrize("chosen", [{}, {"phase": 2}, {"agent": "ada"}, {"agent": "bob"}, {"since": at(1)}])
def test_totals_count_what_all_pages_show(tx, mission, chosen):
    found = read(tx, mission, ContextSection.TASKS, ContextSection.DECISIONS, ContextSection.BLOCKERS, **chosen)

    assert {section: len(shown) for section, shown in found.rows.items()} == found.totals


def test_a_chosen_phase_is_shown_alone(tx, mission):
    assert [phase.number for phase in read(tx, mission, phase=2).phases] == [2]


def test_an_unknown_mission_is_an_error(tx):
    with pytest.raises(NotFound):
        context.read(tx, mission_id="m_nowhere000", include=[], chosen=Filter(), limit=1, after=None)
