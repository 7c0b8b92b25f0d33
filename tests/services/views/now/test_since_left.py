"""What happened since a person left, read from the rows."""

from __future__ import annotations

from mission.domain.checks.evidence import ProofState
from mission.domain.executions.execution import ExecutionStatus
from mission.domain.runs.candidate import CandidateState
from mission.domain.runs.run import RunState
from mission.domain.tasks.patch import Lines, Patch
from mission.domain.tasks.states import TaskStatus
from mission.domain.tasks.task import Quality
from mission.services.views.now import since_left
from mission.services.views.now.since_left import ChangedTotal
from tests.store.rows import at
from tests.store.runs.samples import candidate_of, run_of

DONE = {"status": TaskStatus.COMPLETED, "quality": Quality.SUCCESS, "started_at": at(-9), "completed_at": at(-1)}


def patch(**files: str):
    return Patch(files={path: Lines(text=f"@@\n{text}") for path, text in files.items()}).stored()


def texts(tx):
    return [line.text for line in since_left.read(tx, since=at(-5))]


def test_it_is_told_in_five_lines_from_what_was_stored(tx, rows):
    mission = rows.mission()
    proved = rows.task(mission, proof_state=ProofState.PROVED, **DONE)
    rows.task(mission, **{**DONE, "completed_at": at(-6)})
    rows.task(mission, **{**DONE, "status": TaskStatus.FAILED, "quality": None})
    tx.patches.put(proved.id, patch(a="+one\n+two\n-three"))
    rows.execution(
        proved,
        status=ExecutionStatus.COMPLETED,
        started_at=at(-9),
        ended_at=at(-2),
        usage={"cost_usd": 1.25, "input_tokens": 900, "output_tokens": 100},
    )
    rows.item(created_at=at(-44))
    landing = {"state": "landed", "target": "main"}
    run = run_of(mission.id, state=RunState.FINISHED, ended_at=at(-1), landing=landing)
    tx.runs.add(run)
    tx.candidates.add(candidate_of(run, proved.id, state=CandidateState.MERGED, merged_at=at(-1)))

    assert texts(tx) == [
        "1 item is waiting for you, the oldest for 44 min",
        "1 task failed",
        "1 task finished: 1 proved",
        "1 result merged; landed on main; 1 file changed, +2 −1",
        "Cost: at least $1.25, 1,000 tokens; 1 price is unknown",
    ]


def test_an_empty_store_has_no_news(tx):
    assert texts(tx) == []


def test_a_file_that_two_tasks_changed_is_one_file_and_unknown_lines_are_counted_apart(tx, rows):
    mission = rows.mission()
    first, second = rows.task(mission, **DONE), rows.task(mission, **DONE)
    tx.patches.put(first.id, patch(a="+1", b="-1"))
    tx.patches.put(second.id, Patch(files={"a": Lines(text="@@\n+2\n+3"), "c": Lines(whole=False)}).stored())

    assert since_left.changed_since(tx, at(-5)) == ChangedTotal(files=3, added=3, removed=1, uncounted=1)
    assert since_left.changed_since(tx, at(0)) == ChangedTotal()
