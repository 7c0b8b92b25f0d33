"""One mission as its page shows it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from mission.domain.errors import InvalidInput, NotFound
from mission.domain.tasks.states import TaskStatus
from mission.domain.tasks.task import Quality
from mission.services.agents.registration import LivenessSettings
from mission.services.views import mission as views
from mission.services.views import mission_changes
from tests.store.rows import at

LIVENESS = LivenessSettings(heartbeat=timedelta(minutes=1), lease=timedelta(minutes=10))
DONE = {"status": TaskStatus.COMPLETED, "quality": Quality.SUCCESS}


def changes(**lists):
    return {"added": [], "modified": [], "deleted": [], "renamed": [], "commits": [], **lists}


def get(tx, mission):
    return views.get(tx, mission_id=mission.id, liveness=LIVENESS)


def test_a_mission_counts_its_tasks_as_a_whole_and_by_phase(tx, rows):
    mission = rows.mission()
    rows.task(mission, "a", **DONE)
    rows.task(mission, "b", phase=2, status=TaskStatus.FAILED, failed_attempts=2)
    rows.task(mission, "c", phase=2, position=1)

    found = get(tx, mission)

    assert [(line.row.name, line.word) for line in found.tasks] == [("a", "unproved"), ("b", "failed"), ("c", "ready")]
    assert (found.count.total, found.count.unproved, found.count.failed, found.count.failed_attempts) == (3, 1, 1, 2)
    assert {number: part.total for number, part in found.phase_counts.items()} == {1: 1, 2: 2}


def test_time_is_summed_over_tasks_and_one_that_runs_counts_until_now(tx, rows):
    mission = rows.mission()
    rows.task(mission, started_at=at(-10), completed_at=at(-4), **DONE)
    rows.task(mission, status=TaskStatus.IN_PROGRESS, started_at=at(-2))
    rows.task(mission, status=TaskStatus.FAILED, started_at=at(-1), completed_at=at(-3))

    assert get(tx, mission).task_seconds == (6 + 2) * 60


def test_the_page_and_the_progress_estimate_alike(tx, rows):
    mission = rows.mission(max_parallel=2)
    for _ in range(5):
        rows.task(mission, started_at=at(-20), completed_at=at(-10), **DONE)
    for _ in range(4):
        rows.task(mission)

    found = get(tx, mission)

    assert (found.typical.seconds, found.estimate.seconds) == (600, 1200)


def test_a_file_is_listed_once_with_each_task_that_changed_it_and_how(tx, rows):
    mission = rows.mission()
    rows.task(
        mission,
        "one",
        position=1,
        changes=changes(added=["b", "new"], deleted=["old"], renamed=[{"from": "old", "to": "new"}]),
        **DONE,
    )
    rows.task(mission, "two", position=2, changes=changes(modified=["b"]), **DONE)

    files = mission_changes.read(tx, mission_id=mission.id).files

    assert [(file.path, [(each.task_name, each.how) for each in file.changes]) for file in files] == [
        ("b", [("one", "A"), ("two", "M")]),
        ("new", [("one", "R")]),
        ("old", [("one", "D")]),
    ]
    assert get(tx, mission).files == 3


def test_the_journal_is_read_newest_first_page_by_page_with_the_names_of_its_authors(tx, rows):
    ada = rows.agent("ada")
    task = rows.task(rows.mission(), "Sort")
    for minute in range(3):
        rows.entry(task, summary=str(minute), created_at=at(minute), author=ada.id if minute else None)

    first = views.read_journal(tx, mission_id=task.mission_id, limit=2, cursor=None)
    rest = views.read_journal(tx, mission_id=task.mission_id, limit=2, cursor=first.next)

    assert [(entry.summary, name) for entry, name in (*first.entries, *rest.entries)] == [
        ("2", "Sort"),
        ("1", "Sort"),
        ("0", "Sort"),
    ]
    assert (first.names, rest.names, rest.next) == ({ada.id: "ada"}, {}, None)
    with pytest.raises(InvalidInput, match="cursor"):
        views.read_journal(tx, mission_id=task.mission_id, limit=2, cursor="x")


def test_a_long_source_is_cut_and_a_missing_one_is_nothing(tx, rows, monkeypatch):
    monkeypatch.setattr(views, "MAX_SOURCE_LENGTH", 4)
    mission = rows.mission()
    assert get(tx, mission).source is None

    tx.missions.set_source(mission.id, "123456")

    assert get(tx, mission).source == "1234"


@pytest.mark.parametrize(
    "read", [mission_changes.read, lambda tx, mission_id: views.get(tx, mission_id=mission_id, liveness=LIVENESS)]
)
def test_an_unknown_mission_is_an_error(tx, read):
    with pytest.raises(NotFound):
        read(tx, mission_id="m_nowhere000")
