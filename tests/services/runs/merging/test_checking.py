"""Checks of merged trees: in the merge worktree, on exactly that tree, and what a failure there means."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mission.domain.checks.round import Purpose, RoundState
from mission.domain.ids import new_id
from mission.domain.runs.candidate import CandidateState
from mission.services.runs.merging import checking
from tests.checked_tasks import signals as signals
from tests.merged_runs import merged as merged


async def test_a_merged_tree_is_checked_in_the_merge_worktree_and_not_in_the_agents(merged, signals):
    """A file that .gitignore hides makes a check pass in the agent's tree only."""
    await merged.check("test -f hidden.txt")
    task = await merged.task("add", {".gitignore": "hidden.txt\n", "hidden.txt": "x\n"})
    advice = await merged.call("task_checks", {"task_id": task, "run": True})

    error = await merged.refused(task)

    assert (advice["state"], error["code"]) == ("passed", "CHECKS_FAILED")
    round = (await merged.rounds("merge"))[-1]
    assert (str(round.place), round.excuses) == ("merge", False)
    assert round.path == str(merged.call.app.run_context.worktrees / merged.id / "merge")


async def test_a_tracked_file_that_a_check_changes_fails_it_by_name(merged):
    await merged.check(
        {"name": "dirty", "run": "echo x >> README.md"}, {"name": "clean", "run": "grep -qx hello README.md"}
    )
    task = await merged.task("add", {"a.txt": "a\n"})

    error = await merged.refused(task)

    (failed,) = error["details"]["checks"]
    assert (failed["name"], failed["files"]) == ("dirty", ["README.md"])
    assert "README.md" in failed["reason"]


async def test_untracked_leftovers_are_removed_and_ignored_build_folders_are_kept(merged, signals):
    note = signals.path("seen")
    await merged.check(
        f"ls left.txt build/kept.txt >> {note} 2>/dev/null; mkdir -p build; touch left.txt build/kept.txt"
    )
    one = await merged.task("one", {".gitignore": "build/\n"})
    await merged.report(one)
    two = await merged.task("two", {"two.txt": "x\n"})

    await merged.report(two)

    assert signals.notes("seen") == ["build/kept.txt"]


async def test_the_end_of_a_round_is_published_though_it_had_nothing_to_check(merged):
    await merged.check("true")
    task = await merged.task("add", {"a.txt": "a\n"})
    await merged.report(task)
    (done,) = await merged.rounds("merge")
    empty = replace(done, id=new_id("check round"), purpose=Purpose.TIP, state=RoundState.OPEN, checks=[], verdict=None)
    app = merged.call.app
    await app.database.write(
        lambda tx: tx.candidates.save(replace(tx.candidates.get(done.candidate_id), state="built"))
    )
    await app.database.write(lambda tx: tx.rounds.add(empty))
    seen = app.events.last

    assert await app.run_context.checker.settled(empty.id, host_id=empty.host_id, seconds=60)

    assert app.events.last > seen


async def test_the_setup_runs_again_only_when_its_inputs_differ(merged, signals):
    await _with_setup(merged, signals.note("setups"))
    await merged.check("true")
    for name, files in {
        "one": {"a.txt": "a\n"},
        "two": {"b.txt": "b\n"},
        "three": {"package.json": "{}\n"},
    }.items():
        await merged.report(await merged.task(name, files))

    assert signals.notes("setups") == ["x", "x"]


async def test_a_failed_setup_says_nothing_about_the_candidate(merged):
    await _with_setup(merged, "echo broken; exit 3")
    await merged.check("true")
    task = await merged.task("add", {"a.txt": "a\n"})
    await merged.submit(task)

    for _ in range(3):
        await merged.look()
    round = (await merged.rounds("merge"))[0]

    assert round.state is RoundState.ERROR
    assert "broken" in round.reason
    assert await merged.states(task) == ["built"]


async def test_a_failure_only_after_the_merge_is_repeated_then_the_tip_is_asked_and_the_author_told(merged):
    """Each side passes alone: one renames what the other uses."""
    await merged.check("test ! -f a.txt || test ! -f b.txt")
    one = await merged.task("one", {"a.txt": "a\n"})
    two = await merged.task("two", {"b.txt": "b\n"})
    assert (await merged.call("task_checks", {"task_id": two, "run": True}))["state"] == "passed"
    await merged.report(one)

    error = await merged.refused(two)

    assert error["code"] == "CHECKS_FAILED"
    assert [str(each.state) for each in await merged.rounds("merge")] == ["passed", "failed", "failed"]
    assert [str(each.state) for each in await merged.rounds("tip")] == ["passed"]
    assert "Each side passed alone" in (await merged.candidates(two))[-1].reason


async def test_only_what_is_known_is_said_about_each_side(merged):
    """Nobody has checked the result alone, and a check of one task says nothing about the tip."""
    await merged.check("test ! -f a.txt || test ! -f b.txt")
    one = await merged.task("one", {"a.txt": "a\n"})
    two = await merged.task("two", {"b.txt": "b\n"})
    three = await merged.task("three", {"c.txt": "c\n"}, checks=["test -f never.txt"])
    await merged.report(one)

    await merged.refused(two)
    await merged.refused(three)

    assert (await merged.candidates(two))[-1].reason.startswith("The integration branch passes without your result.")
    assert "passes" not in (await merged.candidates(three))[-1].reason


async def test_a_tip_that_fails_too_stops_merging_and_blames_nobody(merged, signals):
    flag = signals.path("broken")
    await merged.check(f"test ! -f {flag}")
    one = await merged.task("one", {"a.txt": "a\n"})
    two = await merged.task("two", {"b.txt": "b\n"})
    await merged.report(one)
    flag.touch()
    await merged.submit(two)

    await merged.settle()

    assert (await merged.run()).merging_stopped is not None
    (candidate,) = await merged.candidates(two)
    assert candidate.state is CandidateState.BUILT
    assert str((await merged.row(two)).status) == "review"


async def test_a_check_of_one_task_says_nothing_about_the_tip(merged):
    await merged.check("true")
    one = await merged.task("one", {"a.txt": "a\n"})
    two = await merged.task("two", {"b.txt": "b\n"}, checks=["test -f never.txt"])
    await merged.report(one)

    error = await merged.refused(two)

    assert error["code"] == "CHECKS_FAILED"
    assert (await merged.run()).merging_stopped is None


async def test_red_then_green_works_on_the_merged_tree(merged):
    check = {
        "name": "new",
        "run": "test -f tests/t.txt && test -f src/done.txt",
        "before": "fail",
        "tests": ["tests/**"],
    }
    await merged.check(check)
    task = await merged.task("add", {"tests/t.txt": "t\n", "src/done.txt": "d\n"})

    done = await merged.report(task)

    assert done["evidence"]["state"] == "proved"
    (round,) = await merged.rounds("merge")
    rows = await merged.read(lambda tx: tx.evidence.of_round(round.id))
    assert [(str(row.role), str(row.state)) for row in rows] == [("result", "passed"), ("red", "failed")]


async def test_a_stack_has_the_changes_of_all_its_candidates_each_path_once(merged):
    one = await merged.submit(await merged.task("one", {"a.txt": "a\n"}))
    two = await merged.submit(await merged.task("two", {"b.txt": "b\n"}))
    changed = [_with(one, added=["a.txt"]), _with(two, added=["b.txt"], modified=["a.txt"])]

    together = checking._all_changes(changed)

    assert (together.added, together.modified) == (["b.txt"], ["a.txt"])


def _with(candidate, **changes):
    empty = {"added": [], "modified": [], "deleted": [], "renamed": [], "commits": []}
    return replace(candidate, changes={**empty, **changes})


async def _with_setup(merged, command):
    def changed(tx):
        run = tx.runs.get(merged.id)
        tx.runs.save(replace(run, options={**run.options, "setup": command}))

    await merged.write_rows(changed)


async def test_a_red_tip_is_checked_anew_after_a_person_has_repaired_it(merged, signals):
    flag = signals.path("broken")
    await merged.check(f"test ! -f {flag}")
    one = await merged.task("one", {"a.txt": "a\n"})
    two = await merged.task("two", {"b.txt": "b\n"})
    await merged.report(one)
    flag.touch()
    await merged.submit(two)
    await merged.settle()
    (item,) = await merged.items("run")

    await merged.answer(item, "Try again")
    await merged.settle()
    (again,) = await merged.items("run")
    assert again["id"] != item["id"], "it is still red, so a person is asked once more"
    flag.unlink()
    await merged.answer(again, "Try again")
    await merged.settle()

    assert await merged.states(two) == ["merged"]
    assert await merged.items("run") == []


@pytest.mark.parametrize("state", [RoundState.ERROR, RoundState.VOID])
async def test_a_tip_whose_checks_gave_no_result_is_checked_once_more(merged, state):
    await merged.check("test ! -f a.txt || test ! -f b.txt")
    one = await merged.task("one", {"a.txt": "a\n"})
    two = await merged.task("two", {"b.txt": "b\n"})
    await merged.report(one)
    await merged.submit(two)
    await _until_tip_is_checked(merged)
    (first,) = await merged.rounds("tip")
    await merged.write_rows(lambda tx: tx.rounds.save(replace(tx.rounds.get(first.id), state=state)))

    await merged.settle()

    assert [str(each.state) for each in await merged.rounds("tip")] == [str(state), "passed"]
    assert await merged.states(two) == ["failed"]


async def test_checks_that_fail_after_they_gave_no_result_are_still_repeated(merged, signals):
    """The merged tree is checked as often as it takes to know whose failure it is."""
    await merged.check("test ! -f a.txt || test ! -f b.txt")
    one = await merged.task("one", {"a.txt": "a\n"})
    two = await merged.task("two", {"b.txt": "b\n"})
    await merged.report(one)
    await merged.submit(two)
    while not any(each.candidate_id for each in await merged.rounds("merge") if each.task_id == two):
        await merged.look()
    await merged.settle_rounds()
    first = (await merged.rounds("merge"))[-1]
    await merged.write_rows(lambda tx: tx.rounds.save(replace(tx.rounds.get(first.id), state=RoundState.ERROR)))

    await merged.settle()

    states = [str(each.state) for each in await merged.rounds("merge") if each.task_id == two]
    assert states == ["error", "failed", "failed"]
    assert await merged.states(two) == ["failed"]


async def test_checks_that_could_not_run_are_tried_again_after_each_answer(merged, signals):
    flag = signals.path("there")
    await _with_setup(merged, f"test -f {flag}")
    await merged.check("true")
    task = await merged.task("add", {"a.txt": "a\n"})
    await merged.submit(task)
    await merged.settle()
    (item,) = await merged.items("run")

    await merged.answer(item, "Try again")
    await merged.settle()
    (again,) = await merged.items("run")
    assert again["id"] != item["id"]
    flag.touch()
    await merged.answer(again, "Try again")
    await merged.settle()

    assert await merged.states(task) == ["merged"]


async def _until_tip_is_checked(merged):
    while not await merged.rounds("tip"):
        await merged.look()
    await merged.settle_rounds()


@pytest.mark.parametrize("state", [CandidateState.BUILT, CandidateState.CHECKED])
async def test_a_merge_commit_that_the_users_garbage_collection_removed_is_built_again(merged, state):
    await merged.check("test -f a.txt")
    task = await merged.task("add", {"a.txt": "a\n"})
    await merged.submit(task)
    while (await merged.candidates(task))[-1].state is not state:
        await merged.look()
        await merged.settle_rounds()
    merged.git("gc", "-q", "--prune=now")
    await _forget_merge_worktree(merged)

    await merged.settle()

    assert await merged.states(task) == ["merged"]
    assert await merged.shown("a.txt") == "a\n"


async def _forget_merge_worktree(merged):
    """Remove the merge worktree, which keeps the commit that is checked out there."""
    path = merged.call.app.run_context.worktrees / merged.id / "merge"
    if path.exists():
        merged.git("worktree", "remove", "--force", str(path))
    merged.git("gc", "-q", "--prune=now")
