"""The integration branch as it really is: commits of others, a deleted branch, one that was moved away."""

from __future__ import annotations

from mission.services.runs.merging import tip_following
from tests.merged_runs import merged as merged


async def test_foreign_commits_are_listed_and_checked_with_the_next_candidate(merged):
    await merged.check("test ! -f broken.txt")
    task = await merged.task("add", {"a.txt": "a\n"})
    foreign = merged.commit_on_branch("fine.txt", await merged.run())

    done = await merged.report(task)

    assert done["files_changed"]["added"] == ["a.txt"]
    run = await merged.run()
    assert [(each["commit"], each["subject"]) for each in run.foreign_commits] == [(foreign, "theirs")]
    assert await merged.shown("fine.txt") == "theirs\n"
    (round,) = await merged.rounds("merge")
    assert round.tree == merged.git("rev-parse", f"{run.tip}^{{tree}}")


async def test_a_branch_that_was_deleted_or_moved_back_is_put_where_it_was(merged):
    await merged.check("true")
    await merged.report(await merged.task("one", {"a.txt": "a\n"}))
    run = await merged.run()
    merged.git("update-ref", f"refs/heads/{run.branch}", run.base_commit)
    await merged.report(await merged.task("two", {"b.txt": "b\n"}))
    moved_back = await merged.merges()
    run = await merged.run()
    task = await merged.task("three", {"c.txt": "c\n"})
    merged.git("update-ref", "-d", f"refs/heads/{run.branch}")

    await merged.report(task)

    assert moved_back == ["Merge 'one'", "Merge 'two'"]
    assert await merged.merges() == ["Merge 'one'", "Merge 'two'", "Merge 'three'"]


async def test_a_branch_without_what_was_merged_stops_merging(merged):
    await merged.check("true")
    await merged.report(await merged.task("one", {"a.txt": "a\n"}))
    task = await merged.task("two", {"b.txt": "b\n"})
    run = await merged.run()
    merged.git("update-ref", f"refs/heads/{run.branch}", run.base_commit)
    other = merged.commit_on_branch("other.txt", run)

    assert await tip_following.follow(merged.call.app.run_context, run) is None

    await merged.submit(task)
    await merged.settle()
    assert (await merged.run()).merging_stopped.endswith(f"git branch -f {run.branch} {run.tip[:12]}")
    assert await merged.tip() == other
    assert await merged.states(task) == ["queued"]
