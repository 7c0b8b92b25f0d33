"""The branch moves by compare-and-swap, and never over somebody's files."""

from __future__ import annotations

from mission.domain.runs.candidate import CandidateState
from mission.domain.runs.steps import Advance
from mission.services.runs.merging import advancing
from tests.merged_runs import merged as merged


async def _checked(merged, files):
    await merged.check("true")
    task = await merged.task("add", files)
    candidate = await merged.submit(task)
    while (await merged.candidates(task))[-1].state is not CandidateState.CHECKED:
        await merged.look()
    return task, candidate


async def test_a_person_who_has_the_branch_checked_out_with_edits_is_asked_and_keeps_them(merged, tmp_path):
    task, candidate = await _checked(merged, {"README.md": "new\n"})
    run = await merged.run()
    place = tmp_path / "theirs"
    merged.git("worktree", "add", "-q", str(place), run.branch)
    (place / "README.md").write_text("being edited\n")

    await merged.do(Advance(candidate_ids=[candidate.id]))

    (item,) = await merged.items("run")
    assert "README.md" in item["body"]
    assert (place / "README.md").read_text() == "being edited\n"
    assert await merged.states(task) == ["checked"]

    (place / "README.md").write_text("hello\n")
    await merged.settle()
    assert await merged.states(task) == ["merged"]
    assert await merged.items("run") == []


async def test_a_candidate_that_waits_for_a_person_is_not_merged(merged):
    task, candidate = await _checked(merged, {"a.txt": "a\n"})
    from mission.services.tasks import candidates

    waiting = {"item_id": "q_1", "verdict": None}
    await merged.write_rows(lambda tx: candidates.save(tx, tx.candidates.get(candidate.id), review=waiting))

    await merged.do(Advance(candidate_ids=[candidate.id]))

    assert await merged.states(task) == ["checked"]
    run = await merged.run()
    assert await merged.read(lambda tx: advancing._mergeable(tx, run=run, ids=[candidate.id])) == []
