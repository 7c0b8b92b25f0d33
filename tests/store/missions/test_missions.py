"""Missions and repositories as the store keeps and lists them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.exc import IntegrityError

from mission.domain.actions import Action
from mission.domain.errors import NotFound
from mission.domain.missions.mission import MissionStatus
from mission.domain.tasks.states import TaskStatus
from mission.domain.tasks.task import Quality
from tests.store.rows import IN_TRANSACTION, NOW, at, undone


def test_an_unknown_mission_is_an_error_that_names_it_and_says_how_to_find_one(tx):
    with pytest.raises(NotFound) as raised:
        tx.missions.get("m_nowhere000")

    assert "m_nowhere000" in raised.value.message
    assert raised.value.action is Action.FIND_MISSION


def test_saving_a_mission_leaves_its_totals_alone(tx, rows):
    mission = rows.mission()
    tx.missions.count(mission.id, "decisions", more=2, now=at(1))

    tx.missions.save(replace(mission, name="Store", decisions=99))

    found = tx.missions.get(mission.id)
    assert (found.name, found.decisions) == ("Store", 2)


@IN_TRANSACTION
@given(changes=st.lists(st.tuples(st.sampled_from(["decisions", "milestones", "blockers"]), st.integers(-3, 5))))
def test_totals_are_the_sum_of_what_was_counted(tx, changes):
    with undone(tx) as rows:
        mission = rows.mission()

        for minute, (counter, more) in enumerate(changes, start=1):
            tx.missions.count(mission.id, counter, more=more, now=at(minute))

        found = tx.missions.get(mission.id)
        for counter in ("decisions", "milestones", "blockers"):
            assert getattr(found, counter) == sum(more for name, more in changes if name == counter)
        assert found.updated_at == at(len(changes))


def test_touching_a_mission_changes_only_when_it_was_last_active(tx, rows):
    mission = rows.mission()

    tx.missions.touch(mission.id, now=at(5))

    assert tx.missions.get(mission.id) == replace(mission, updated_at=at(5), achievements=[], limitations=[])


def test_a_mission_keeps_the_text_it_was_made_from_apart(tx, rows):
    mission = rows.mission()
    assert tx.missions.source(mission.id) is None

    tx.missions.set_source(mission.id, "Bau es\nmit Umlauten: ä")
    tx.missions.save(replace(mission, name="other"))

    assert tx.missions.source(mission.id) == "Bau es\nmit Umlauten: ä"


def test_a_deleted_mission_takes_everything_of_its_own_with_it(tx, rows):
    mission, other = rows.mission(), rows.mission("other")
    task, kept = rows.task(mission), rows.task(other)
    rows.entry(task)
    item = rows.item(mission_id=mission.id, task_id=task.id)
    execution = rows.execution(task)

    tx.missions.delete(mission.id)

    assert tx.tasks.get(kept.id).name == kept.name
    assert tx.executions.find(execution.id) is None
    for reading in (lambda: tx.missions.get(mission.id), lambda: tx.tasks.get(task.id), lambda: tx.inbox.get(item.id)):
        with pytest.raises(NotFound):
            reading()


def test_missions_are_listed_the_most_recently_active_first_with_their_number(tx, rows):
    old, new, middle = (rows.mission(str(minute), updated_at=at(minute)) for minute in (1, 9, 5))

    page, total = tx.missions.page(statuses=None, repository_path=None, archived=False, limit=2, offset=0)
    rest, _ = tx.missions.page(statuses=None, repository_path=None, archived=False, limit=2, offset=2)

    assert [[each.id for each in part] for part in (page, rest)] == [[new.id, middle.id], [old.id]]
    assert total == 3


def test_archived_missions_are_listed_only_on_request(tx, rows):
    kept, put_away = rows.mission(), rows.mission(archived_at=NOW)

    def listed(**filters):
        wanted = {"statuses": None, "repository_path": None, "archived": False, "limit": 9, "offset": 0, **filters}
        found, total = tx.missions.page(**wanted)
        assert total == len(found)
        return [each.id for each in found]

    assert listed() == [kept.id]
    assert listed(archived=True) == [put_away.id]
    assert listed(statuses=["completed"]) == []
    assert listed(statuses=["planning"]) == [kept.id]
    assert listed(repository_path="/elsewhere") == []


@pytest.mark.parametrize("status", list(MissionStatus))
def test_the_newest_open_mission_of_a_repository_is_one_that_has_not_ended(tx, rows, status):
    repository = rows.repository()
    older = rows.mission(repository_id=repository.id)
    newer = rows.mission(repository_id=repository.id, created_at=at(1), status=status)

    found = tx.missions.newest_open(host_id="here", path=repository.path, common_dir=None)

    ended = status in {MissionStatus.COMPLETED, MissionStatus.FAILED, MissionStatus.ABANDONED}
    assert found.id == (older.id if ended else newer.id)


def test_a_repository_is_found_from_every_worktree_but_not_from_another_host(tx, rows):
    repository = rows.repository(common_dir="/code/shop/.git")
    mission = rows.mission(repository_id=repository.id)
    rows.mission(repository_id=repository.id, archived_at=NOW, created_at=at(9))

    def newest(host_id, path, common_dir):
        found = tx.missions.newest_open(host_id=host_id, path=path, common_dir=common_dir)
        return found and found.id

    assert newest("here", "/trees/one", "/code/shop/.git") == mission.id
    assert newest("here", "/trees/one", None) is None
    assert newest("there", repository.path, "/code/shop/.git") is None


def test_partly_done_tasks_count_as_completed_and_failed_ones_do_not(tx, rows):
    mission, empty = rows.mission(), rows.mission("empty")
    rows.task(mission, status=TaskStatus.COMPLETED, quality=Quality.SUCCESS)
    rows.task(mission, phase=2, status=TaskStatus.COMPLETED, quality=Quality.PARTIAL)
    rows.task(mission, phase=2, status=TaskStatus.FAILED)
    rows.task(mission, status=TaskStatus.SKIPPED)
    rows.task(mission, status=TaskStatus.PENDING)

    assert tx.missions.task_totals([mission.id, empty.id]) == {mission.id: (5, 2)}


def test_repositories_are_listed_by_name_and_those_of_a_host_the_newest_first(tx, rows):
    b = rows.repository("/code/b")
    a = rows.repository("/code/a", created_at=at(1))
    far = rows.repository("/code/a", host_id="there", created_at=at(2))

    everything, total = tx.missions.repositories(limit=9, offset=0)
    second, _ = tx.missions.repositories(limit=1, offset=1)
    assert [each.id for each in everything] == [a.id, far.id, b.id]
    assert ([each.id for each in second], total) == ([far.id], 3)
    assert [each.id for each in tx.missions.repositories_of(host_id="here", limit=9)] == [a.id, b.id]
    assert tx.missions.repository_at(host_id="there", path="/code/a") == far
    assert tx.missions.repository_at(host_id="there", path="/code/b") is None


def test_a_place_is_one_repository_per_host(tx, rows):
    first = rows.repository("/code/a")

    with pytest.raises(IntegrityError), undone(tx) as again:
        again.repository("/code/a")

    tx.missions.save_repository(replace(first, name="renamed"))
    assert tx.missions.repository(first.id).name == "renamed"
