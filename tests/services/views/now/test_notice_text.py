"""The text of notifications: the same for the desktop and a webhook."""

from __future__ import annotations

import pytest

from mission.domain.checks.evidence import ProofState
from mission.domain.events import QueueItemCreated, RunFinished, TaskUpdated
from mission.domain.runs.run import RunState
from mission.domain.tasks.states import TaskStatus
from mission.domain.tasks.task import Quality
from mission.services.views.now.notice_text import notice_text
from mission.store.logs.events import StoredEvent
from tests.store.rows import NOW, at
from tests.store.runs.samples import run_of


def stored(topic, data):
    return StoredEvent(seq=1, type=topic, at=NOW, mission_id=None, agent_ids=(), data=data)


def test_the_end_of_a_run_comes_with_what_happened_since_it_was_started(tx, rows):
    mission = rows.mission()
    done = {"status": TaskStatus.COMPLETED, "quality": Quality.SUCCESS, "started_at": at(-9)}
    rows.task(mission, proof_state=ProofState.PROVED, completed_at=at(-1), **done)
    rows.task(mission, completed_at=at(-8), **done)
    rows.item(created_at=at(-3))
    run = run_of(mission.id, state=RunState.FINISHED, reason="All is merged.", created_at=at(-5))

    text = notice_text(tx, event=stored(RunFinished.topic, run.record()))

    assert text is not None
    assert text.split("\n") == [
        "All is merged.",
        "1 item is waiting for you, the oldest for 3 min",
        "1 task finished: 1 proved",
        "Cost: unknown",
        f"mission report {mission.id}",
    ]


def test_a_new_item_is_its_subject_and_where_to_answer_it(tx, rows):
    item = rows.item(subject="Left or right?")

    assert notice_text(tx, event=stored(QueueItemCreated.topic, item.record())) == (
        f"Left or right?\nmission inbox {item.id}"
    )


@pytest.mark.parametrize("topic", [TaskUpdated.topic, "run:updated"])
def test_other_events_are_not_worth_a_notification(tx, topic):
    assert notice_text(tx, event=stored(topic, {})) is None
