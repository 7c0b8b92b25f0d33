"""The whole way from a report to the merge, with real git on both databases."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from mission.domain.runs.candidate import CandidateState
from mission.domain.runs.decisions import merge_order
from mission.domain.runs.options import RunOptions
from mission.domain.runs.steps import Advance, Build, CheckMerged, MarkChecked
from mission.services.runs.merging.merge_steps import MERGE_STEPS
from tests.checked_tasks import signals as signals
from tests.merged_runs import ids_of, start_run
from tests.merged_runs import merged as merged


async def test_a_reported_result_is_checked_on_the_merged_tree_and_merged(merged):
    await merged.check("test -f src/new.py")
    task = await merged.task("add", {"src/new.py": "x = 1\n"})

    done = await merged.report(task)

    assert (done["status"], done["evidence"]["state"]) == ("success", "proved")
    assert done["files_changed"]["added"] == ["src/new.py"]
    assert await merged.shown("src/new.py") == "x = 1\n"
    assert str((await merged.row(task)).status) == "completed"
    assert (await merged.run()).tip == await merged.tip()


async def test_a_lie_is_caught_on_the_merged_tree_and_the_author_can_repair_it(merged, make_agent):
    ada = await make_agent("ada")
    await merged.check("test -f src/new.py")
    task = await merged.task("add")
    await merged.begin(task, agent_id=ada)

    error = await merged.refused(task, agent_id=ada)

    assert (error["code"], error["http_status"]) == ("CHECKS_FAILED", 409)
    row = await merged.row(task)
    assert (str(row.status), row.owner_id, row.lease_until is not None) == ("in_progress", ada, True)
    assert await merged.merges() == []

    merged.write(task, "src/new.py")
    done = await merged.report(task, agent_id=ada)

    assert done["evidence"]["state"] == "proved"
    assert await merged.states(task) == ["merged"]
    assert [str(each.state) for each in await merged.candidates(task)] == ["failed", "merged"]


async def test_two_results_are_merged_in_order_and_each_has_only_its_own_files(merged):
    await merged.check("true")
    one = await merged.task("one", {"one.txt": "1\n"})
    two = await merged.task("two", {"two.txt": "2\n"})
    await merged.submit(one)
    await merged.submit(two)

    await merged.settle()

    assert await merged.merges() == ["Merge 'one'", "Merge 'two'"]
    assert (await merged.row(two)).changes["added"] == ["two.txt"]


async def test_a_merge_has_two_parents_the_agent_as_author_and_trailers(merged, make_agent):
    ada = await make_agent("ada")
    task = await merged.task("add", {"a.txt": "a\n"})
    await merged.begin(task, agent_id=ada)
    run = await merged.run()

    await merged.report(task, agent_id=ada)

    (candidate,) = await merged.candidates(task)
    shown = merged.git("show", "-s", "--format=%P|%an|%(trailers:key=Mission-Task,valueonly)", await merged.tip())
    parents, author, named = shown.split("|")
    assert (parents, author, named.strip()) == (f"{run.tip} {candidate.commit}", "ada", task)
    work = merged.git("show", "-s", "--format=%an|%(trailers:key=Mission-Run,valueonly)", str(candidate.commit))
    assert work.strip() == f"ada|{run.id}"


async def test_an_empty_liar_does_not_pass_and_an_empty_result_is_checked_like_any_other(merged):
    await merged.check("test -f src/new.py")
    liar = await merged.task("liar")

    assert (await merged.refused(liar))["code"] == "CHECKS_FAILED"

    await merged.check("true")
    honest = await merged.task("honest")
    done = await merged.report(honest)
    assert done["evidence"]["state"] == "proved"
    assert done["evidence"]["flags"] == ["the agent changed nothing"]


async def test_edits_after_the_report_are_not_part_of_the_candidate(merged):
    task = await merged.task("add", {"a.txt": "reported\n"})
    await merged.submit(task)
    merged.write(task, "a.txt", "later\n")

    await merged.settle()

    assert await merged.shown("a.txt") == "reported\n"


async def test_nothing_is_merged_without_evidence_for_exactly_that_tree(merged):
    """A tip that moves between check and merge sends the candidate through trial merge and checks again."""
    await merged.check("true")
    task = await merged.task("add", {"a.txt": "a\n"})
    candidate = await merged.submit(task)
    while (await merged.candidates(task))[-1].state is not CandidateState.CHECKED:
        await merged.look()
    first = (await merged.candidates(task))[-1]
    foreign = merged.commit_on_branch("theirs.txt", await merged.run())

    await merged.do(Advance(candidate_ids=[candidate.id]))

    again = (await merged.candidates(task))[-1]
    assert (again.state, again.merged_tree, again.round_id) == (CandidateState.QUEUED, None, None)
    assert await merged.tip() == foreign
    await merged.settle()
    last = (await merged.candidates(task))[-1]
    assert last.state is CandidateState.MERGED
    assert last.merged_tree != first.merged_tree
    assert last.round_id != first.round_id
    assert await merged.shown("theirs.txt") == "theirs\n"
    assert [each["commit"] for each in (await merged.run()).foreign_commits] == [foreign]


async def test_a_step_that_was_killed_after_any_write_is_repeated_and_merges_once(merged):
    await merged.check("true")
    task = await merged.task("add", {"a.txt": "a\n"})
    await merged.submit(task)

    await with_repeats(merged)

    assert await merged.merges() == ["Merge 'add'"]
    assert await merged.states(task) == ["merged"]
    assert len(await merged.rounds("merge")) == 1


async def test_a_crash_between_branch_and_row_is_completed_by_the_next_step(merged, monkeypatch):
    await merged.check("true")
    task = await merged.task("add", {"a.txt": "a\n"})
    candidate = await merged.submit(task)
    while (await merged.candidates(task))[-1].state is not CandidateState.CHECKED:
        await merged.look()
    checked = (await merged.candidates(task))[-1]
    run = await merged.run()
    merged.git("update-ref", f"refs/heads/{run.branch}", checked.merge_commit)  # then the daemon was killed

    other = await merged.task("other", {"b.txt": "b\n"})
    await merged.submit(other)
    await merged.do(Build(candidate_ids=[(await merged.candidates(other))[-1].id]))

    assert await merged.states(task) == ["merged"]
    assert str((await merged.row(task)).status) == "completed"
    assert (await merged.run()).foreign_commits == []
    await merged.do(Advance(candidate_ids=[candidate.id]))
    await merged.settle()
    assert await merged.merges() == ["Merge 'add'", "Merge 'other'"]


async def test_a_stack_is_checked_once_and_merged_together(merged):
    await merged.check("true")
    tasks = [await merged.task(name, {f"{name}.txt": "x\n"}) for name in ("one", "two", "three")]
    ids = ids_of([await merged.submit(task) for task in tasks])

    await merged.do(Build(candidate_ids=ids))
    await merged.do(CheckMerged(candidate_ids=ids))
    (round,) = await merged.rounds("merge")
    await merged.settle_rounds()
    await merged.do(MarkChecked(candidate_ids=ids, round_id=round.id))
    await merged.do(Advance(candidate_ids=ids))

    assert await merged.states(*tasks) == ["merged", "merged", "merged"]
    assert await merged.merges() == ["Merge 'one'", "Merge 'two'", "Merge 'three'"]
    assert [(await merged.row(task)).changes["added"] for task in tasks] == [["one.txt"], ["two.txt"], ["three.txt"]]
    assert (await merged.row(tasks[0])).proof["tree"] == round.tree


async def test_a_candidate_in_the_middle_of_a_stack_is_not_merged_alone(merged):
    """There is evidence for the last tree only."""
    await merged.check("true")
    tasks = [await merged.task(name, {f"{name}.txt": "x\n"}) for name in ("one", "two")]
    ids = ids_of([await merged.submit(task) for task in tasks])
    await merged.do(Build(candidate_ids=ids))
    await merged.do(CheckMerged(candidate_ids=ids))
    (round,) = await merged.rounds("merge")
    await merged.settle_rounds()

    await merged.do(MarkChecked(candidate_ids=ids[:1], round_id=round.id))

    assert await merged.states(*tasks) == ["built", "built"]


async def test_an_older_candidate_counts_how_often_it_was_passed_over(merged):
    await merged.check("true")
    old = await merged.task("old", {"old.txt": "x\n"})
    young = await merged.task("young", {"young.txt": "x\n"})
    await merged.submit(old)
    chosen = [(await merged.submit(young)).id]
    for step in (Build(candidate_ids=chosen), CheckMerged(candidate_ids=chosen)):
        await merged.do(step)
    await merged.settle_rounds()
    (round,) = await merged.rounds("merge")
    await merged.do(MarkChecked(candidate_ids=chosen, round_id=round.id))
    await merged.do(Advance(candidate_ids=chosen))

    assert (await merged.candidates(old))[-1].passed_over == 1


async def test_a_step_of_an_earlier_driver_changes_nothing(merged):
    task = await merged.task("add", {"a.txt": "a\n"})
    candidate = await merged.submit(task)
    stale = await merged.run()
    await merged.write_rows(lambda tx: tx.runs.save(_fenced(tx.runs.get(merged.id))))

    for step in (Build(candidate_ids=[candidate.id]), Advance(candidate_ids=[candidate.id])):
        await MERGE_STEPS[type(step)](merged.call.app.run_context, stale, step)

    assert await merged.states(task) == ["queued"]


async def test_the_users_checkout_index_stash_and_branches_stay_byte_for_byte(merged, repository, git):
    (repository / "README.md").write_text("stashed\n")
    git(repository, "stash")
    (repository / "README.md").write_text("staged\n")
    git(repository, "add", "README.md")
    (repository / "README.md").write_text("edited\n")
    (repository / "mine.txt").write_text("mine\n")
    await merged.check("true")
    before = _user_state(repository, git)
    one = await merged.task("one", {"README.md": "one\n"})
    two = await merged.task("two", {"README.md": "two\n"})
    before_worktrees = {name: value for name, value in before.items() if name != "index"}

    await merged.report(one)
    await merged.refused(two)

    after = _user_state(repository, git)
    assert {name: value for name, value in after.items() if name != "index"} == before_worktrees
    assert after["index"] == before["index"]


async def test_hostile_configuration_of_the_repository_does_not_run(merged, repository, git, tmp_path):
    mark = tmp_path / "ran"
    hook = repository / ".git" / "hooks" / "reference-transaction"
    hook.write_text(f"#!/bin/sh\ntouch {mark}\n")
    hook.chmod(0o755)
    for key, value in {
        "merge.evil.driver": f"touch {mark}",
        "filter.evil.smudge": f"touch {mark}",
        "core.fsmonitor": f"touch {mark}",
        "commit.gpgSign": "true",
        "gpg.program": f"touch {mark}",
        "core.hooksPath": str(hook.parent),
    }.items():
        git(repository, "config", key, value)
    mark.unlink(missing_ok=True)
    await merged.check("true")
    one = await merged.task("one", {".gitattributes": "*.txt merge=evil\n", "a.txt": "1\n"})
    two = await merged.task("two", {"b.txt": "2\n"})
    mark.unlink(missing_ok=True)

    await merged.report(one)
    await merged.report(two)

    assert await merged.shown("b.txt") == "2\n"
    assert not mark.exists()


async def test_a_worktree_that_was_deleted_is_rebuilt_from_its_branch(merged):
    import shutil

    await merged.check("test -f a.txt")
    task = await merged.task("add", {"a.txt": "a\n"})
    await merged.submit(task)
    context = merged.call.app.run_context
    shutil.rmtree(merged.worktrees[task])
    await merged.do(Build(candidate_ids=ids_of(await merged.candidates(task))))
    await merged.do(CheckMerged(candidate_ids=ids_of(await merged.candidates(task))))
    await merged.settle_rounds()
    shutil.rmtree(context.worktrees / merged.id / "merge")
    other = await merged.task("other", {"b.txt": "b\n"})

    await merged.report(other)

    assert await merged.states(task, other) == ["merged", "merged"]


async def test_a_worktree_that_is_gone_at_the_report_is_rebuilt_with_what_was_committed(merged):
    import shutil

    await merged.check("test -f a.txt")
    task = await merged.task("add", {"a.txt": "a\n"})
    path = merged.worktrees[task]
    merged.git("add", "-A", cwd=path)
    merged.git("commit", "-qm", "mine", cwd=path)
    shutil.rmtree(path)

    done = await merged.report(task)

    assert done["evidence"]["state"] == "proved"
    assert path.is_dir()


@pytest.fixture
async def reviewed(call, repository):
    return await start_run(call, repository, options=RunOptions(review="person"))


async def test_a_review_comes_before_the_merge_and_approving_merges(reviewed):
    await reviewed.check("true")
    task = await reviewed.task("add", {"a.txt": "a\n"})

    waiting = await reviewed.report(task)

    assert waiting["status"] == "review"
    (item,) = await reviewed.items("review")
    assert await reviewed.merges() == []
    await reviewed.answer(item, "Approve")
    assert (await reviewed.candidates(task))[-1].review["verdict"] == "approve"
    await reviewed.settle()
    assert await reviewed.states(task) == ["merged"]
    assert (await reviewed.row(task)).proof_state == "proved"
    assert await reviewed.items("review") == []


async def test_sending_back_ends_the_candidate_with_the_comments(reviewed):
    await reviewed.check("true")
    task = await reviewed.task("add", {"a.txt": "a\n"})
    await reviewed.report(task)
    (item,) = await reviewed.items("review")

    await reviewed.answer(item, "Send back", "add tests")

    (candidate,) = await reviewed.candidates(task)
    assert (str(candidate.state), candidate.review["verdict"]) == ("failed", "changes")
    assert "add tests" in candidate.reason
    assert str((await reviewed.row(task)).status) == "pending"


async def test_an_approval_covers_a_clean_merge_upon_a_newer_tip(reviewed):
    await reviewed.check("true")
    task = await reviewed.task("add", {"a.txt": "a\n"})
    await reviewed.report(task)
    (item,) = await reviewed.items("review")
    reviewed.commit_on_branch("theirs.txt", await reviewed.run())
    await reviewed.answer(item, "Approve")

    await reviewed.settle()

    assert await reviewed.states(task) == ["merged"]
    assert await reviewed.items("review") == []


async def with_repeats(merged):
    """Carry out every step twice, as after a crash right before its success was noticed."""
    while True:
        step = await merged.read(merged._next)
        if step is None:
            if not await merged.has_open_rounds():
                return
            await merged.settle_rounds()
            continue
        for _ in range(2):
            await merged.do(step)


def _fenced(run):
    from dataclasses import replace

    return replace(run, fence=run.fence + 1)


def _user_state(repository, git):
    """Return everything of the user's that a run must not touch."""
    files = {
        str(path.relative_to(repository)): path.read_bytes()
        for path in repository.rglob("*")
        if path.is_file() and ".git" not in path.parts
    }
    refs = git(repository, "for-each-ref", "--format=%(refname) %(objectname)").splitlines()
    return {
        "files": files,
        "index": (repository / ".git" / "index").read_bytes(),
        "head": (repository / ".git" / "HEAD").read_text(),
        "refs": [ref for ref in refs if not ref.startswith("refs/heads/mission/")],
        "stash": git(repository, "stash", "list"),
        "config": (repository / ".git" / "config").read_text(),
    }


@pytest.fixture
def stacking(monkeypatch):
    """Stack candidates however short their checks are."""
    monkeypatch.setattr(merge_order, "STACK_SECONDS", -1.0)


async def test_a_failing_stack_is_bisected_and_only_the_one_that_fails_is_sent_back(merged, stacking, signals):
    await merged.check(f"test ! -f three.txt; code=$?; echo $code >> {signals.path('ran')}; exit $code")
    tasks = [await merged.task(name, {f"{name}.txt": "x\n"}) for name in ("one", "two", "three", "four")]
    for task in tasks:
        await merged.submit(task)

    await merged.settle()

    assert await merged.states(*tasks) == ["merged", "merged", "failed", "merged"]
    assert await merged.merges() == ["Merge 'one'", "Merge 'two'", "Merge 'four'"]
    assert len(await merged.candidates(tasks[2])) == 1
    assert signals.notes("ran")[0] == "1", "the whole stack was checked first"


async def test_a_stack_upon_a_tip_that_a_person_moved_is_built_and_checked_again(merged, stacking):
    await merged.check("true")
    tasks = [await merged.task(name, {f"{name}.txt": "x\n"}) for name in ("one", "two")]
    for task in tasks:
        await merged.submit(task)
    while await merged.states(*tasks) != ["checked", "checked"]:
        await merged.look()
        await merged.settle_rounds()
    before = [(await merged.candidates(task))[-1] for task in tasks]
    foreign = merged.commit_on_branch("theirs.txt", await merged.run())

    await merged.settle()

    assert await merged.states(*tasks) == ["merged", "merged"]
    assert [each["commit"] for each in (await merged.run()).foreign_commits] == [foreign]
    after = [(await merged.candidates(task))[-1] for task in tasks]
    assert before[-1].round_id != after[-1].round_id
    (round,) = [each for each in await merged.rounds("merge") if each.id == after[-1].round_id]
    assert round.tree == merged.git("rev-parse", f"{await merged.tip()}^{{tree}}")


async def test_a_review_in_the_middle_of_a_stack_holds_up_nobody_else(call, repository, stacking):
    run = await start_run(call, repository, options=RunOptions(review="risk"))
    await run.check("true")
    long = "x\n" * 401
    tasks = [
        await run.task(name, {f"{name}.txt": long if name == "two" else "x\n"}) for name in ("one", "two", "three")
    ]
    for task in tasks:
        await run.submit(task)

    await run.settle()

    assert await run.states(*tasks) == ["merged", "checked", "merged"]
    (item,) = await run.items("review")
    await run.answer(item, "Send back", "shorter")
    await run.settle()
    assert await run.states(*tasks) == ["merged", "failed", "merged"]


async def test_what_a_person_accepted_proves_nothing_about_what_it_is_stacked_upon(merged, stacking):
    """One lies, and a person accepts another: the lie is not merged with it."""
    await merged.check("test -f done.txt")
    liar = await merged.task("liar", {"a.txt": "a\n"})
    other = await merged.task("other", {"b.txt": "b\n"})
    await merged.submit(liar)
    await merged.submit(other)
    await merged.call("task_accept", {"task_id": other, "reason": "good enough"})

    await merged.settle()

    assert await merged.states(liar, other) == ["failed", "merged"]
    assert await merged.merges() == ["Merge 'other'"]


async def test_nothing_is_merged_because_of_a_round_on_another_tree(merged):
    await merged.check("true")
    task = await merged.task("add", {"a.txt": "a\n"})
    candidate = await merged.submit(task)
    while (await merged.candidates(task))[-1].state is not CandidateState.CHECKED:
        await merged.look()
    checked = (await merged.candidates(task))[-1]
    await merged.write_rows(lambda tx: tx.rounds.save(replace(tx.rounds.get(checked.round_id), tree="0" * 40)))

    await merged.do(Advance(candidate_ids=[candidate.id]))

    assert await merged.merges() == []
    assert await merged.states(task) == ["checked"]


@pytest.mark.parametrize("jump", [timedelta(hours=-3), timedelta(days=2)], ids=["back", "forward"])
async def test_a_clock_that_jumps_between_two_steps_neither_merges_twice_nor_forgets_anybody(merged, clock, jump):
    await merged.check("test ! -f a.txt || test ! -f bad.txt")
    one = await merged.task("one", {"a.txt": "a\n"})
    two = await merged.task("two", {"b.txt": "b\n"})
    bad = await merged.task("bad", {"bad.txt": "x\n"})
    for task in (one, two, bad):
        await merged.submit(task)
    while (step := await merged.read(merged._next)) is not None or await merged.has_open_rounds():
        clock.now += jump
        if step is not None:
            await merged.do(step)
        await merged.settle_rounds()
        jump = -jump

    assert await merged.states(one, two, bad) == ["merged", "merged", "failed"]
    assert sorted(await merged.merges()) == ["Merge 'one'", "Merge 'two'"]
