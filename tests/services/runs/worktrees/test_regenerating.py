"""Conflicts in files that a command makes again are resolved without an agent."""

from __future__ import annotations

from mission.domain.runs.options import RunOptions
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


async def test_of_several_conflicts_the_author_resolves_only_those_without_a_command(call, repository, make_agent):
    ada = await make_agent("ada")
    run = await _run(call, repository, SORT)
    await run.check("test -f all.lock")
    one = await run.task("one", {"parts/1": "one\n", "all.lock": "one\n", "app.py": "one\n"})
    two = await run.task("two", {"parts/2": "two\n", "all.lock": "two\n", "app.py": "two\n"})
    await run.begin(two, agent_id=ada)
    await run.report(one)

    error = await run.refused(two, agent_id=ada)

    assert (error["code"], error["details"]["files"]) == ("CONFLICT", ["app.py"])
    assert "<<<<<<<" not in (run.worktrees[two] / "all.lock").read_text()
    run.write(two, "app.py", "one and two\n")

    done = await run.report(two, agent_id=ada)

    assert done["evidence"]["state"] == "proved"
    assert await run.shown("app.py") == "one and two\n"
    assert await run.shown("all.lock") == "one\ntwo\n", "the command made it from both sides"


async def test_a_command_that_fails_after_the_author_resolved_the_rest_is_told(call, repository, make_agent):
    ada = await make_agent("ada")
    run = await _run(call, repository, "echo no network; exit 1")
    await run.check("true")
    one = await run.task("one", {"all.lock": "one\n", "app.py": "one\n"})
    two = await run.task("two", {"all.lock": "two\n", "app.py": "two\n"})
    await run.begin(two, agent_id=ada)
    await run.report(one)
    await run.refused(two, agent_id=ada)
    run.write(two, "app.py", "one and two\n")

    error = await run.refused(two, agent_id=ada)

    assert "no network" in error["message"]


async def test_each_path_is_made_again_by_the_first_command_that_matches(call, repository):
    run = await (await _run(call, repository, SORT)).run()

    assert regenerating.regenerated_among(run, ["all.lock", "src/app.py"]) == {"all.lock": SORT}
