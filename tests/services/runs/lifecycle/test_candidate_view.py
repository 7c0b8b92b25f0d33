"""A candidate as people read it: the report, the evidence, and the lines between the tip and the merged tree."""

from __future__ import annotations

import pytest

from mission.domain.errors import InvalidInput, NotFound
from mission.domain.runs.candidate import CandidateState
from tests.started_runs import runs as runs


async def test_a_candidate_is_shown_with_its_task_and_report(call, runs):
    await runs.running()
    made = await runs.candidate(
        "one", state=CandidateState.QUEUED, commit="c1", tree="t1", findings=[{"kind": "large"}]
    )

    shown = await call("candidate_get", {"candidate_id": made.id})

    assert (shown["task_name"], shown["state"], shown["commit"]) == ("one", "queued", "c1")
    assert (shown["report"], shown["findings"]) == ({"outcome": {"summary": "done"}}, [{"kind": "large"}])
    assert (shown["evidence"], shown["review"], "patch" in shown) == ([], None, False)


async def test_the_lines_between_the_tip_and_the_merged_tree_are_shown(call, runs, git, repository):
    await runs.running()
    run = await runs.run()
    commit = runs.commit(run.branch, {"README.md": "changed\n", "new.txt": "new\n"})
    tree = git(repository, "rev-parse", f"{commit}^{{tree}}")
    made = await runs.candidate(
        "one", state=CandidateState.BUILT, commit=commit, tree=tree, tip=run.base_commit, merged_tree=tree
    )

    shown = await call("candidate_get", {"candidate_id": made.id, "patch": True})

    files = {each["path"]: each["patch"] for each in shown["patch"]}
    assert set(files) == {"README.md", "new.txt"}
    assert "-hello" in files["README.md"]
    assert "+changed" in files["README.md"]


async def test_before_the_first_trial_merge_there_are_no_lines(call, runs):
    await runs.running()
    made = await runs.candidate("one")

    assert "patch" not in await call("candidate_get", {"candidate_id": made.id, "patch": True})


async def test_unknown_candidates_and_other_ids_are_named(call, runs):
    await runs.start()

    with pytest.raises(NotFound, match="no candidate cd_0000000000"):
        await call("candidate_get", {"candidate_id": "cd_0000000000"})
    with pytest.raises(InvalidInput, match="candidate_id"):
        await call("candidate_get", {"candidate_id": runs.id})
