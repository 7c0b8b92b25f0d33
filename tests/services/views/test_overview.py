"""What people see first: open missions, what runs, what ended, and the fleet."""

from __future__ import annotations

from datetime import timedelta

import pytest

from mission.domain.agents.agent import Presence
from mission.domain.checks.evidence import ProofState
from mission.domain.missions.mission import MissionOutcome, MissionStatus
from mission.domain.tasks.hold import Hold, HoldKind
from mission.domain.tasks.states import TaskStatus
from mission.domain.tasks.task import Quality
from mission.services.agents.registration import LivenessSettings
from mission.services.views import overview as views
from mission.services.views import task_lines
from mission.services.views.now import mission_lines
from tests.store.rows import NOW, at

LIVENESS = LivenessSettings(heartbeat=timedelta(minutes=1), lease=timedelta(minutes=10))


def overview(tx, since=None):
    return views.overview(tx, since=since, liveness=LIVENESS)


def test_what_runs_comes_with_the_name_of_who_has_it_or_of_who_said_it_does(tx, rows):
    mission = rows.mission()
    ada = rows.agent("ada")
    rows.task(mission, "hers", status=TaskStatus.IN_PROGRESS, owner_id=ada.id, lease_until=at(9))
    rows.task(mission, "said", status=TaskStatus.IN_PROGRESS, agent_name="bob")
    rows.task(mission, "waits")

    found = overview(tx)

    assert {each.line.row.name: (each.line.agent, each.line.word) for each in found.running} == {
        "hers": ("ada", "working"),
        "said": ("bob", "working"),
    }
    assert (found.active, found.open_missions, found.lease_seconds) == (2, 1, 600)


def test_a_missions_bar_adds_up_to_its_tasks_and_failed_attempts_are_counted_apart(tx, rows):
    mission = rows.mission()
    rows.task(mission, status=TaskStatus.COMPLETED, quality=Quality.SUCCESS, failed_attempts=2)
    rows.task(mission, status=TaskStatus.COMPLETED, quality=Quality.PARTIAL)
    rows.task(mission, status=TaskStatus.IN_PROGRESS, owner_id="a_1")
    rows.task(mission, status=TaskStatus.IN_PROGRESS, owner_id="a_1")
    rows.task(mission, status=TaskStatus.REVIEW, owner_id="a_2")
    rows.task(mission, status=TaskStatus.SKIPPED)
    rows.task(mission, status=TaskStatus.FAILED, failed_attempts=1)
    rows.task(mission)

    [line] = overview(tx).missions

    assert line.count == task_lines.Count(
        unproved=2, working=2, needs=1, failed=1, failed_attempts=3, skipped=1, total=8
    )
    assert line.at_work == 1
    assert task_lines.count(task_lines.task_lines(tx, tx.overviews.tasks(mission.id))) == line.count


def test_a_missions_bar_tells_proved_tasks_from_unproved_accepted_and_failing_ones(tx, rows):
    mission = rows.mission()
    done = {"status": TaskStatus.COMPLETED, "quality": Quality.SUCCESS, "completed_at": NOW}
    for state in (ProofState.PROVED, ProofState.PROVED, ProofState.ACCEPTED, ProofState.UNPROVED):
        rows.task(mission, proof_state=state, **done)
    rows.task(mission, status=TaskStatus.IN_PROGRESS, proof_state=ProofState.FAILING)
    rows.task(mission, status=TaskStatus.FAILED, proof_state=ProofState.FAILING, completed_at=NOW)
    checking = {"proof_state": ProofState.CHECKING, "hold": Hold(HoldKind.CHECKS, None, None)}
    rows.task(mission, status=TaskStatus.REVIEW, **checking)

    found = overview(tx, since=at(-1))

    [line] = found.missions
    assert line.count == task_lines.Count(proved=2, accepted=1, unproved=1, failing=1, working=2, failed=1, total=7)
    assert line.count.done == 4
    assert task_lines.count(task_lines.task_lines(tx, tx.overviews.tasks(mission.id))) == line.count
    assert found.proof == line.count
    assert found.ended_counts == task_lines.Count(proved=2, accepted=1, unproved=1, failed=1, total=5)


def test_nobody_is_at_work_in_a_mission_that_has_ended_and_a_partial_end_is_named(tx, rows):
    ended = {"status": MissionStatus.COMPLETED, "outcome": MissionOutcome.PARTIAL}
    mission = rows.mission(**ended)
    rows.task(mission, status=TaskStatus.IN_PROGRESS, owner_id="a_1")

    page = mission_lines.list_missions(tx, text="", statuses=None, archived=False, limit=9, offset=0)

    [line] = page.missions
    assert (line.status, line.at_work) == ("partial", 0)
    assert overview(tx).missions == []


def test_missions_are_found_by_words_in_any_case_and_state(tx, rows):
    shop = rows.mission("The SHOP")
    rows.mission("Bank", status=MissionStatus.FAILED)

    def listed(text, statuses=None):
        page = mission_lines.list_missions(tx, text=text, statuses=statuses, archived=False, limit=9, offset=0)
        return [line.row.id for line in page.missions]

    assert listed(" sHop  the ") == [shop.id]
    assert listed("", statuses=[MissionStatus.PLANNING]) == [shop.id]
    assert listed("", statuses=[]) == []


def test_what_ended_is_what_ended_since_the_reader_left_or_in_the_last_hours(tx, rows):
    mission = rows.mission(updated_at=NOW)
    for name, minute in (("old", -60 * 13), ("today", -60), ("just now", -1)):
        rows.task(mission, name, status=TaskStatus.FAILED, completed_at=at(minute))

    assert [line.row.name for line in overview(tx).ended] == ["just now", "today"]
    assert [line.row.name for line in overview(tx, since=at(-5)).ended] == ["just now"]
    assert overview(tx, since=at(-5)).ended_counts == task_lines.Count(failed=1, total=1)


SILENT = {"last_seen_at": at(-60)}
LEFT = {"declared": Presence.OFFLINE}


def test_a_task_counts_the_files_it_changed_once_that_is_known(tx, rows):
    mission = rows.mission()
    lists = {"added": ["a"], "modified": ["b", "c"], "deleted": ["d"], "renamed": [], "commits": []}
    rows.task(mission, "ended", position=1, changes=lists)
    rows.task(mission, "waits", position=2)

    assert [line.files for line in task_lines.task_lines(tx, tx.overviews.tasks(mission.id))] == [4, None]


@pytest.mark.parametrize(
    ("agent", "lease", "word"),
    [({}, 9, "at_work"), ({}, -1, "at_work"), (SILENT, 9, "offline"), (SILENT, -1, "lost"), (LEFT, -1, "lost")],
)
def test_an_agent_stands_as_its_task_and_its_signs_of_life_say(tx, rows, agent, lease, word):
    ada = rows.agent("ada", **agent)
    task = rows.task(rows.mission(), status=TaskStatus.IN_PROGRESS, owner_id=ada.id, lease_until=at(lease))
    rows.agent("long gone", last_seen_at=at(-60 * 24))

    [line] = overview(tx).fleet

    assert (line.row.name, line.task.row.id, line.word) == ("ada", task.id, word)


def test_the_newest_mission_is_listed_however_many_are_more_urgent(tx, rows, monkeypatch):
    monkeypatch.setattr(views, "MAX_MISSIONS", 2)
    for name in ("one", "two", "three"):
        rows.item(mission_id=rows.mission(name, created_at=at(-9), updated_at=at(9)).id)
    rows.mission("new", created_at=at(1))

    listed = [line.row.name for line in overview(tx).missions]

    assert len(listed) == len(set(listed))
    assert "new" in listed
