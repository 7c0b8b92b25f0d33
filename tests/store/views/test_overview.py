"""What the page shows of all missions at once."""

from __future__ import annotations

import pytest

from mission.domain.checks.evidence import ProofState
from mission.domain.missions.mission import ENDED, MissionStatus
from mission.domain.tasks.states import RUNNING, STALLED, TaskStatus
from mission.domain.tasks.task import Quality
from tests.store.rows import NOW, at


@pytest.mark.parametrize("status", list(MissionStatus))
def test_open_missions_have_not_ended_and_are_not_archived(tx, rows, status):
    mission = rows.mission(status=status)
    rows.mission(status=status, archived_at=NOW)
    is_open = status not in ENDED

    assert [row.id for row in tx.overviews.open_missions(limit=9)] == [mission.id] * is_open
    assert tx.overviews.count_open() == is_open


def test_missions_are_found_by_words_in_name_or_objective_whatever_their_case(tx, rows):
    shop = rows.mission("ÜBER Shop_1%", objective="Größe", updated_at=at(2))
    bank = rows.mission("Bank", objective="über", status=MissionStatus.FAILED, updated_at=at(1))

    def found(*words, statuses=None):
        page, counts = tx.overviews.missions(words=words, statuses=statuses, archived=False, limit=9, offset=0)
        return [row.id for row in page], counts

    assert found("über") == ([shop.id, bank.id], {"planning": 1, "failed": 1})
    assert found("über", "größe")[0] == [shop.id]
    assert found(shop.id)[0] == [shop.id]
    assert found("p_1%")[0] == [shop.id]
    assert found("%")[0] == [shop.id]
    assert found("o_")[0] == []
    assert found("über", statuses=["failed"]) == ([bank.id], {"planning": 1, "failed": 1})


def test_counts_of_a_mission_are_summed_over_its_phases(tx, rows):
    mission = rows.mission()
    rows.task(mission, phase=1, status=TaskStatus.COMPLETED, quality=Quality.PARTIAL)
    rows.task(mission, phase=2, status=TaskStatus.COMPLETED, quality=Quality.PARTIAL)
    rows.task(mission, phase=2)

    counted = tx.overviews.task_counts([mission.id, "m_nowhere"])

    assert counted == {
        mission.id: {"pending": 1, "in_progress": 0, "success": 0, "partial": 2, "failed": 0, "skipped": 0}
    }


@pytest.mark.parametrize("status", list(TaskStatus))
def test_a_task_is_in_hand_while_it_runs_and_going_while_it_does_not_stand_still(tx, rows, status):
    mission = rows.mission()
    task = rows.task(mission, status=status)
    rows.task(rows.mission(status=MissionStatus.COMPLETED), status=status)
    in_hand = status in RUNNING

    assert [row.id for row in tx.overviews.in_hand(limit=9)] == [task.id] * in_hand
    assert [row.id for row in tx.overviews.hands([mission.id])] == [task.id] * in_hand
    assert tx.overviews.count_active() == (in_hand and status not in STALLED)


def test_a_task_in_hand_comes_with_the_last_words_about_it(tx, rows):
    task = rows.task(rows.mission("Shop"), status=TaskStatus.IN_PROGRESS)
    rows.entry(task, summary="first")
    rows.entry(task, summary="last", created_at=at(4))

    [row] = tx.overviews.in_hand(limit=9)

    assert (row.summary, row.said_at, row.mission_name) == ("last", at(4), "Shop")


def test_what_ended_since_a_moment_is_counted_and_listed_latest_first(tx, rows):
    mission = rows.mission(updated_at=at(9))
    for minute, status in ((1, "completed"), (3, "failed"), (2, "skipped")):
        rows.task(mission, str(minute), status=TaskStatus(status), completed_at=at(minute))
    rows.task(mission)

    assert [row.name for row in tx.overviews.ended_since(at(1), limit=9)] == ["3", "2"]
    assert [row.name for row in tx.overviews.ended_since(at(0), limit=1)] == ["3"]
    assert tx.overviews.count_ended(at(1)) == {("failed", None): 1, ("skipped", None): 1}


def test_states_of_proof_are_counted_for_each_mission_and_for_all_open_ones(tx, rows):
    mission, other = rows.mission(), rows.mission()
    done = {"status": TaskStatus.COMPLETED, "quality": Quality.SUCCESS}
    rows.task(mission, proof_state=ProofState.PROVED, **done)
    rows.task(mission, proof_state=ProofState.ACCEPTED, **done)
    rows.task(mission, status=TaskStatus.IN_PROGRESS, proof_state=ProofState.FAILING)
    rows.task(mission, status=TaskStatus.FAILED, proof_state=ProofState.FAILING)
    rows.task(mission)
    rows.task(other, proof_state=ProofState.PROVED, **done)
    rows.task(rows.mission(status=MissionStatus.COMPLETED), proof_state=ProofState.PROVED, **done)

    assert tx.overviews.proofs([mission.id, other.id, "m_nowhere"]) == {
        mission.id: {"proved": 1, "accepted": 1, "failing": 1},
        other.id: {"proved": 1},
    }
    assert tx.overviews.open_proofs() == {"proved": 2, "accepted": 1, "failing": 1}
    assert tx.overviews.open_task_counts() == {
        "pending": 1,
        "in_progress": 1,
        "success": 3,
        "partial": 0,
        "failed": 1,
        "skipped": 0,
    }


def test_a_task_whose_checks_run_does_not_stand_still(tx, rows):
    rows.task(rows.mission(), status=TaskStatus.REVIEW, proof_state=ProofState.CHECKING)

    assert tx.overviews.count_active() == 1


def test_open_steps_know_what_they_still_wait_for(tx, rows):
    mission = rows.mission()
    first = rows.task(mission, "first", position=1, status=TaskStatus.IN_PROGRESS, started_at=at(1), owner_id="a_1")
    second = rows.task(mission, "second", position=2, waiting_for=1)
    done = rows.task(mission, "done", status=TaskStatus.COMPLETED)
    tx.plans.add_dependencies([(second.id, first.id), (first.id, done.id)])

    steps = [
        (step.id, list(step.needs), step.started_at, step.owner_id) for step in tx.overviews.open_steps(mission.id)
    ]

    assert steps == [(first.id, [], at(1), "a_1"), (second.id, [first.id], None, None)]
    assert tx.overviews.edges(mission.id) == {second.id: [first.id], first.id: [done.id]}
    assert [row.name for row in tx.overviews.tasks(mission.id)] == ["done", "first", "second"]


def test_the_fleet_is_who_was_seen_lately_and_who_is_asked_for(tx, rows):
    asked = rows.agent("asked", last_seen_at=at(-99), created_at=at(2))
    seen = rows.agent("seen", last_seen_at=at(1), created_at=at(1))
    rows.agent("gone", last_seen_at=at(-99))

    assert [row.id for row in tx.overviews.fleet([asked.id], since=NOW, limit=9)] == [seen.id, asked.id]
    assert tx.overviews.names([asked.id, "a_nowhere"]) == {asked.id: "asked"}


def test_the_journal_of_a_mission_has_every_kind_with_the_names_of_tasks(tx, rows):
    mission = rows.mission()
    one, two = rows.task(mission, "one"), rows.task(mission, "two")
    old = rows.entry(one, created_at=at(1))
    new = rows.entry(two, created_at=at(2))

    page = tx.overviews.journal(mission.id, limit=9, after=None)

    assert [(entry.id, name) for entry, name in page] == [(new.id, "two"), (old.id, "one")]
    assert [entry.id for entry, _ in tx.overviews.journal(mission.id, limit=9, after=(at(2), new.id))] == [old.id]
    assert tx.overviews.count_journal(mission.id) == 2
