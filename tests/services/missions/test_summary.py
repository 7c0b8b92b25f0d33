"""A mission in short."""

from __future__ import annotations

import pytest

from mission.domain.errors import NotFound
from mission.domain.tasks.journal import EntryKind
from mission.domain.tasks.states import TaskStatus
from mission.services.missions import summary
from tests.store.rows import at


def test_a_summary_names_what_is_in_hand_what_comes_next_and_what_was_done_last(tx, rows):
    mission = rows.mission(max_parallel=9)
    tx.missions.set_source(mission.id, "Build the shop")
    rows.task(mission, "now", status=TaskStatus.IN_PROGRESS, owner_id="a_1", lease_until=at(9))
    rows.task(mission, "next", position=1)
    rows.task(mission, "waits", position=2, waiting_for=1)
    rows.task(mission, "broken", status=TaskStatus.FAILED)
    for minute in (1, 2):
        rows.task(mission, f"done {minute}", status=TaskStatus.COMPLETED, started_at=at(0), completed_at=at(minute))

    found = summary.summarize(tx, mission_id=mission.id, source_characters=5)

    assert found.source == "Build"
    named = {part: [task.name for task in getattr(found, part)] for part in ("in_hand", "ready", "failed", "completed")}
    assert named == {
        "in_hand": ["now"],
        "ready": ["next"],
        "failed": ["broken"],
        "completed": ["done 2", "done 1"],
    }
    assert (found.progress.total, found.progress.remaining) == (6, 4)


def test_a_summary_has_the_latest_decisions_and_only_open_blockers(tx, rows):
    mission = rows.mission()
    task = rows.task(mission)
    for minute in range(summary.LISTED + 1):
        rows.entry(task, EntryKind.DECISION, summary=str(minute), created_at=at(minute))
    rows.entry(task, EntryKind.ISSUE, summary="solved")
    rows.entry(task, EntryKind.ISSUE, summary="open", open_blocker=True)

    found = summary.summarize(tx, mission_id=mission.id, source_characters=9)

    assert [entry.summary for entry in found.decisions] == [str(minute) for minute in range(summary.LISTED, 0, -1)]
    assert [entry.summary for entry in found.blockers] == ["open"]
    assert found.source == ""


def test_lists_of_a_large_mission_are_cut(tx, rows):
    mission = rows.mission()
    for place in range(summary.LISTED + 1):
        rows.task(mission, str(place), position=place)

    assert len(summary.summarize(tx, mission_id=mission.id, source_characters=1).ready) == summary.LISTED
    with pytest.raises(NotFound):
        summary.summarize(tx, mission_id="m_nowhere000", source_characters=1)
