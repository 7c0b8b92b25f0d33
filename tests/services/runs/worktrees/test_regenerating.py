"""Conflicts in files that a command makes again are resolved without an agent."""

from __future__ import annotations

from mission.domain.runs.options import RunOptions
from mission.git.integration.trial_merge import Conflicted, ConflictedPath
from mission.services.runs.worktrees import regenerating
from tests.merged_runs import start_run

SORT = "cat parts/* > all.lock"


async def _run(call, repository, command):
    options = RunOptions(review="none", regenerate={"*.lock": command})
    return await start_run(call, repository, options=options, unproved_allowed=True)


async def test_a_conflict_in_a_regenerated_file_is_resolved_by_the_command(call, repository):
    run = await _run(call, repository, SORT)
    await run.check("test -f all.lock")
    one = await run.task("one", {"parts/1": "one\n", "all.lock": "one\n"})
    two = await run.task("two", {"parts/2": "two\n", "all.lock": "two\n"})
    await run.report(one)

    done = await run.report(two)

    assert done["evidence"]["state"] == "proved"
    assert await run.shown("all.lock") == "one\ntwo\n"
    assert len(await run.candidates(two)) == 1


async def test_a_command_that_fails_leaves_the_conflict_to_the_author_with_its_output(call, repository):
    run = await _run(call, repository, "echo no network; exit 1")
    await run.check("true")
    one = await run.task("one", {"all.lock": "one\n"})
    two = await run.task("two", {"all.lock": "two\n"})
    await run.report(one)

    error = await run.refused(two)

    assert (error["code"], error["details"]["files"]) == ("CONFLICT", ["all.lock"])
    assert "no network" in error["hint"]


async def test_a_conflict_in_another_file_is_for_the_author(call, repository):
    run = await (await _run(call, repository, SORT)).run()
    paths = (ConflictedPath(path="all.lock", kind="content"), ConflictedPath(path="src/app.py", kind="content"))

    assert regenerating.commands_for(run, Conflicted(tree="t", paths=paths)) == []
    assert regenerating.commands_for(run, Conflicted(tree="t", paths=paths[:1])) == [SORT]
