"""Writing a run: a change is announced, and only the driver of now may make one."""

from __future__ import annotations

from mission.domain.runs.candidate import CandidateState
from mission.domain.runs.run import RunState
from mission.services.runs.lifecycle import run_changes
from tests.started_runs import runs as runs


async def test_only_the_driver_of_now_sees_the_run(call, runs):
    await runs.start()
    old = await runs.run()
    assert await runs.read(lambda tx: run_changes.current(tx, old)) == old

    await runs.set(fence=old.fence + 1)
    assert await runs.read(lambda tx: run_changes.current(tx, old)) is None

    await call("run_stop", {"run_id": runs.id})
    ended = await runs.run()
    assert await runs.read(lambda tx: run_changes.current(tx, ended)) is None


async def test_a_change_is_announced(runs):
    await runs.running()
    run = await runs.run()
    seen = runs.context.events.last

    await runs.write(lambda tx: run_changes.move(tx, run, RunState.PAUSED, reason="lunch"))

    found = await runs.read(lambda tx: tx.events.since(seen, limit=10))
    assert [event.type for event in found] == ["run:updated"]


async def test_a_merged_candidate_is_not_withdrawn(runs):
    await runs.running()
    merged = await runs.candidate("one", state=CandidateState.MERGED)

    await runs.write(lambda tx: run_changes.withdraw_candidate(tx, merged, reason="no"))

    assert (await runs.read(lambda tx: tx.candidates.get(merged.id))).state is CandidateState.MERGED


async def test_only_questions_of_this_run_are_withdrawn(call, runs):
    await runs.running()
    mine = await runs.ask("budget", "raise")
    run = await runs.run()
    await runs.running(name="other")
    other = await runs.ask("budget", "raise")

    closed = await runs.write(lambda tx: run_changes.withdraw_items(tx, run, reason="over"))

    assert [item.id for item in closed] == [mine.id]
    assert (await runs.read(lambda tx: tx.inbox.get(other.id))).is_open
