"""The journal of a task: who may write, what is counted, and what waits for a person."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.errors import NotOwner
from mission.domain.inbox.item import ItemKind
from mission.domain.tasks.journal import CheckpointType, EntryKind
from mission.services.tasks import journal
from tests.store.rows import IN_TRANSACTION, undone


def write(tx, task, kind=EntryKind.DECISION, **fields):
    given = {"summary": "s", "detail": {}, "agent_id": None, "fence": None, **fields}
    return journal.log(tx, kind=kind, task_id=task.id, **given)


def checkpoints(tx, task, **wanted):
    return journal.checkpoints(tx, task_id=task.id, **{"types": None, "since": 0, "limit": 9, "cursor": None, **wanted})


@IN_TRANSACTION
@given(kinds=st.lists(st.tuples(st.sampled_from(EntryKind), st.booleans()), max_size=8))
def test_a_mission_counts_its_decisions_milestones_and_open_blockers(tx, kinds):
    with undone(tx) as rows:
        mission = rows.mission()
        task = rows.task(mission)

        for kind, blocker in kinds:
            write(tx, task, kind, blocker=blocker and kind is EntryKind.ISSUE)

        found = tx.missions.get(mission.id)
        names = [kind for kind, _ in kinds]
        assert found.decisions == names.count(EntryKind.DECISION)
        assert found.milestones == names.count(EntryKind.MILESTONE)
        assert found.blockers == kinds.count((EntryKind.ISSUE, True)) == len(tx.inbox.open_where(task_id=task.id))


def test_a_blocker_is_put_before_a_person_with_what_was_tried(tx, rows):
    task = rows.task(rows.mission(), owner_id="a_1")

    entry = write(
        tx, task, EntryKind.ISSUE, summary="no key", detail={"resolution": "asked"}, agent_id="a_1", blocker=True
    )

    [item] = tx.inbox.open_where(entry_id=entry.id)
    assert (item.kind, item.subject, item.body, item.agent_id) == (ItemKind.BLOCKER, "no key", "asked", "a_1")


@pytest.mark.parametrize(("agent_id", "fence"), [("a_2", None), (None, 3), ("a_1", 3)])
def test_nobody_writes_about_a_task_of_another_or_of_an_earlier_claim(tx, rows, agent_id, fence):
    task = rows.task(rows.mission(), owner_id="a_1", fence=4)

    with undone(tx), pytest.raises(NotOwner):
        write(tx, task, agent_id=agent_id, fence=fence)

    assert write(tx, task, agent_id="a_1", fence=4).sequence == 1


@pytest.mark.parametrize("type", list(CheckpointType))
def test_a_checkpoint_is_found_again_by_its_type(tx, rows, type):
    task = rows.task(rows.mission())
    made = journal.checkpoint(
        tx, type=type, task_id=task.id, summary="s", files_changed=("a.py",), agent_id=None, fence=None
    )

    found = checkpoints(tx, task, types=[type]).rows

    assert [entry.id for entry in found] == [made.id]
    assert found[0].files_changed == ["a.py"]
    assert checkpoints(tx, task, types=set(CheckpointType) - {type}).rows == []
    assert checkpoints(tx, task).rows == found


def test_a_journal_is_read_a_page_at_a_time(tx, rows):
    task = rows.task(rows.mission())
    for _ in range(3):
        write(tx, task)

    first = checkpoints(tx, task, limit=2)
    rest = checkpoints(tx, task, limit=2, cursor=first.next)

    assert [entry.sequence for entry in (*first.rows, *rest.rows)] == [1, 2, 3]
    assert rest.next is None
    assert [entry.sequence for entry in checkpoints(tx, task, since=2).rows] == [3]
