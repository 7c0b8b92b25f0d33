"""Reports of tasks in a run become candidates, in whichever way they arrive."""

from __future__ import annotations

from mission.domain.runs.candidate import CandidateState
from mission.services.tasks import candidates
from tests.merged_runs import merged as merged


async def test_a_report_holds_the_task_in_review_without_a_lease(merged, make_agent):
    ada = await make_agent("ada")
    task = await merged.task("add", {"a.txt": "a\n"})
    await merged.begin(task, agent_id=ada)

    candidate = await merged.submit(task, agent_id=ada)

    row = await merged.row(task)
    assert (str(row.status), row.hold.reason, row.lease_until) == ("review", candidates.WAITING, None)
    assert (candidate.agent_id, candidate.run_id) == (ada, merged.id)


async def test_a_new_report_after_one_that_was_sent_back_is_a_new_candidate(merged):
    await merged.check("test -f b.txt")
    task = await merged.task("add", {"a.txt": "a\n"})
    await merged.refused(task)
    await merged.begin(task)
    merged.write(task, "b.txt")

    await merged.report(task)

    assert [str(each.state) for each in await merged.candidates(task)] == ["failed", "merged"]


async def test_an_open_candidate_of_a_task_that_was_taken_back_is_replaced(merged):
    task = await merged.task("add", {"a.txt": "a\n"})
    first = await merged.submit(task)
    await merged.call("task_update_status", {"id": task, "status": "in_progress"})

    second = await merged.submit(task)

    states = [each.state for each in await merged.candidates(task)]
    assert (states, first.id == second.id) == ([CandidateState.WITHDRAWN, CandidateState.QUEUED], False)


async def test_a_child_task_is_part_of_its_parents_result(merged):
    task = await merged.task("add", {"a.txt": "a\n"})
    row = await merged.row(task)
    from dataclasses import replace

    child = replace(row, parent_id="t_parent")

    assert (await merged.read(lambda tx: candidates.run_of(tx, row))).id == merged.id
    assert await merged.read(lambda tx: candidates.run_of(tx, child)) is None
