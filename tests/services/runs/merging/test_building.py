"""Trial merges: recorded before the branch moves, the same when repeated, and a stack ends where it has to."""

from __future__ import annotations

from mission.domain.runs.candidate import CandidateState
from mission.domain.runs.steps import Build
from mission.services.runs.merging import building, commit_texts, merged_rows, returning, step_guard
from tests.merged_runs import ids_of
from tests.merged_runs import merged as merged


async def test_a_merge_commit_is_recorded_while_the_branch_stays(merged):
    task = await merged.task("add", {"a.txt": "a\n"})
    candidate = await merged.submit(task)
    before = await merged.tip()

    await merged.do(Build(candidate_ids=[candidate.id]))

    (built,) = await merged.candidates(task)
    assert (built.state, built.tip) == (CandidateState.BUILT, before)
    assert merged.git("rev-parse", f"{built.merge_commit}^{{tree}}") == built.merged_tree
    assert await merged.tip() == before


async def test_a_repeated_build_makes_the_same_commit(merged):
    from mission.services.tasks import candidates

    task = await merged.task("add", {"a.txt": "a\n"})
    candidate = await merged.submit(task)
    await merged.do(Build(candidate_ids=[candidate.id]))
    first = (await merged.candidates(task))[0].merge_commit
    queued = {"state": CandidateState.QUEUED, "merge_commit": None}
    await merged.write_rows(lambda tx: candidates.save(tx, tx.candidates.get(candidate.id), **queued))

    await merged.do(Build(candidate_ids=[candidate.id]))

    assert (await merged.candidates(task))[0].merge_commit == first


async def test_a_stack_ends_before_a_conflict_and_nobody_in_it_is_blamed(merged):
    tasks = [await merged.task(name, {"README.md": f"{name}\n"}) for name in ("one", "two")]
    ids = ids_of([await merged.submit(task) for task in tasks])

    await merged.do(Build(candidate_ids=ids))

    assert await merged.states(*tasks) == ["built", "queued"]


async def test_a_check_of_ones_own_changes_keeps_a_candidate_out_of_stacks(merged):
    tasks = [await merged.task("one", {"a.txt": "a\n"}), await merged.task("two", {"b.txt": "b\n"})]
    check = {"name": "g", "changed": ["*.txt"]}
    await merged.call("checks_set", {"scope": "task", "id": tasks[1], "checks": [check]})
    ids = ids_of([await merged.submit(task) for task in tasks])

    await merged.do(Build(candidate_ids=ids))

    assert await merged.states(*tasks) == ["built", "queued"]
    assert CandidateState.QUEUED in building.BUILDABLE


async def test_a_commit_that_is_gone_is_frozen_again(merged):
    from mission.services.tasks import candidates

    task = await merged.task("add", {"a.txt": "a\n"})
    candidate = await merged.submit(task)
    await merged.write_rows(lambda tx: candidates.save(tx, tx.candidates.get(candidate.id), commit="0" * 39 + "1"))

    await merged.do(Build(candidate_ids=[candidate.id]))
    assert await merged.states(task) == ["reported"]
    await merged.settle()

    assert await merged.shown("a.txt") == "a\n"


async def test_a_long_name_makes_a_short_subject_and_the_summary_is_kept(merged):
    task = await merged.task("n" * 100, {"a.txt": "a\n"})
    candidate = await merged.submit(task)

    message = await merged.read(lambda tx: commit_texts.candidate_details(tx, candidate, tx.tasks.get(task)).message)

    subject, _, body = message.partition("\n\n")
    assert (len(subject), body) == (commit_texts.MAX_SUBJECT, "done")


async def test_a_merge_is_recorded_once(merged):
    await merged.check("true")
    task = await merged.task("add", {"a.txt": "a\n"})
    await merged.report(task)
    run, ids = await merged.run(), ids_of(await merged.candidates(task))

    again = await merged.write_rows(lambda tx: merged_rows.record(tx, run=run, candidate_ids=ids, tip="other"))

    assert (again, (await merged.run()).tip) == ([], run.tip)


async def test_a_candidate_that_was_merged_is_not_sent_back(merged):
    from datetime import timedelta

    await merged.check("true")
    task = await merged.task("add", {"a.txt": "a\n"})
    await merged.report(task)
    run, (candidate,) = await merged.run(), await merged.candidates(task)

    await merged.write_rows(
        lambda tx: returning.fail(tx, run=run, candidate_id=candidate.id, round_id=None, lease=timedelta(minutes=1))
    )

    assert await merged.states(task) == ["merged"]
    assert await merged.read(lambda tx: step_guard.current(tx, run, candidate.id, CandidateState.MERGED)) is None
