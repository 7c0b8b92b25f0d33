"""The end of a run: final checks in a fresh worktree, repair tasks, and the completed mission."""

from __future__ import annotations

from pathlib import Path

from mission.domain.runs.controller import next_steps
from mission.domain.runs.run import RunState
from mission.domain.runs.steps import AddRepair, CheckFinal, Finish, Move
from mission.domain.webhook import Webhook
from mission.services.runs.lifecycle import finishing
from mission.services.runs.view_reader import ProcessFacts, read_view
from mission.settings import Settings
from tests.started_runs import runs as runs
from tests.started_runs import task

ENDED = "run:finished"


async def finishing_run(runs, *tasks, **mission):
    """Start a run and merge its tasks; return it."""
    await runs.running(*tasks, **mission)
    for name in list(await runs.tasks()):
        await runs.merge(name, {f"{name}.txt": f"{name}\n"})
    return await runs.step(Move(state=RunState.FINISHING))


async def checked(runs):
    run = await runs.step(CheckFinal())
    return await runs.settled(run.final["round_id"])


async def test_final_checks_run_on_the_tip_in_a_fresh_worktree_with_a_fresh_setup(runs, repository, git):
    await finishing_run(runs, final_checks=["test -f one.txt && test -f ready"], setup="echo x > ready")
    git(repository, "config", "core.excludesFile", str(repository / ".git" / "ignored"))
    (repository / ".git" / "ignored").write_text("ready\n")

    round = await checked(runs)

    run = await runs.run()
    assert (round.state, round.purpose, round.place) == ("passed", "final", "fresh")
    assert run.final == {"commit": run.tip, "round_id": round.id}
    assert round.tree == git(repository, "rev-parse", f"{run.branch}^{{tree}}")
    assert not (repository / "one.txt").exists()


async def test_a_run_without_final_checks_has_nothing_to_wait_for(runs):
    await finishing_run(runs)

    run = await runs.step(CheckFinal())

    assert run.final == {"commit": run.tip, "round_id": None}


async def test_a_check_of_changed_files_sees_everything_that_the_run_changed(runs):
    await finishing_run(runs, final_checks=[{"name": "touched", "changed": ["one.txt"]}])

    assert (await checked(runs)).state == "passed"


async def test_a_failed_final_check_becomes_a_task_that_must_pass_it(call, runs):
    await finishing_run(runs, final_checks=[{"name": "e2e", "run": "echo BROKEN PIPE; exit 1"}])
    round = await checked(runs)

    run = await runs.step(AddRepair(round_id=round.id))

    assert run.state == "running"
    name = "Repair what the final checks found (1)"
    row = (await runs.tasks())[name]
    assert "BROKEN PIPE" in row.goal
    assert run.final["repairs"] == [row.id]
    checks = await call("checks_list", {"scope": "task", "id": row.id})
    assert {each["name"] for each in checks["checks"]} == {"true", "e2e"}
    assert (await runs.step(AddRepair(round_id=round.id))).final == run.final
    assert len(await runs.tasks()) == 2


async def test_there_are_at_most_two_repair_tasks(runs):
    await finishing_run(runs, final_checks=["false"])
    for number in (1, 2):
        round = await checked(runs)
        await runs.step(AddRepair(round_id=round.id))
        await runs.merge(f"Repair what the final checks found ({number})", {f"repair-{number}": "x\n"})
        await runs.step(Move(state=RunState.FINISHING))

    round = await checked(runs)
    run = await runs.step(AddRepair(round_id=round.id))

    assert (run.state, len(run.final["repairs"]), len(await runs.tasks())) == ("finishing", 2, 3)


async def test_final_checks_that_are_under_way_are_not_started_again(runs):
    await finishing_run(runs, final_checks=["true"])
    first = await runs.step(CheckFinal())

    again = await runs.step(CheckFinal())

    assert first.final["commit"] == again.final["commit"]


async def test_a_setup_that_fails_is_no_pass(runs):
    await finishing_run(runs, final_checks=["true"])
    await runs.set(options={**(await runs.run()).options, "setup": "exit 9"})

    round = await checked(runs)

    assert (round.state, "exit code 9" in round.reason) == ("error", True)


async def test_a_finished_run_completes_its_mission(call, runs):
    await finishing_run(runs, task("one"), task("two"))
    await runs.step(CheckFinal())

    run = await runs.step(Finish())

    assert (run.state, run.reason) == ("finished", f"2 of 2 tasks are merged on {run.branch}.")
    mission = await runs.read(lambda tx: tx.missions.get(runs.mission_id))
    assert (mission.status, mission.outcome) == ("completed", "completed")
    assert mission.completion["metrics"]["files_changed"] == 2
    assert (await runs.step(Finish())).ended_at == run.ended_at
    announced = [event for event in await runs.read(lambda tx: tx.events.since(0, limit=10_000)) if event.type == ENDED]
    assert [event.data["reason"] for event in announced] == [run.reason], "a webhook hears of it once"
    assert Webhook(url="http://x", secret="", events=Settings(home=Path("/")).webhook_events.split(",")).wants(ENDED)


async def test_a_run_with_skipped_tasks_completes_partly(call, runs):
    await runs.running(task("one"), task("two"))
    await runs.merge("one", {"one.txt": "x\n"})
    await call("task_update_status", {"id": (await runs.tasks())["two"].id, "status": "skipped"})
    await runs.step(Move(state=RunState.FINISHING))
    await runs.step(CheckFinal())

    await runs.step(Finish())

    mission = await runs.read(lambda tx: tx.missions.get(runs.mission_id))
    assert (mission.outcome, list(mission.limitations)) == ("partial", ["'two' was skipped."])


async def test_questions_of_a_finished_run_are_withdrawn(runs):
    await finishing_run(runs)
    item = await runs.ask("client:codex", "retry", "stop")

    await runs.step(Finish())

    assert not (await runs.read(lambda tx: tx.inbox.get(item.id))).is_open


async def test_a_mission_that_a_person_ended_stops_its_run(call, runs):
    await runs.running()
    await call("complete_mission", {"mission_id": runs.mission_id, "status": "failed", "summary": "no"})

    run = await runs.step(Move(state=RunState.FINISHING))

    assert (run.state, run.reason) == ("stopped", "The mission is failed.")


async def test_a_paused_run_is_not_moved(call, runs):
    await runs.running()
    await call("run_pause", {"run_id": runs.id})

    assert (await runs.step(Move(state=RunState.FINISHING))).state == "paused"


async def test_steps_of_an_earlier_driver_change_nothing(runs):
    old = await finishing_run(runs, final_checks=["true"])
    await runs.set(fence=old.fence + 1)

    await finishing.check_final(runs.context, old, CheckFinal())
    await finishing.finish(runs.context, old, Finish())

    now = await runs.run()
    assert (now.state, now.final) == ("finishing", None)


async def test_a_commit_of_others_after_the_last_merge_is_listed_and_checked_at_the_end(runs, repository, git):
    run = await finishing_run(runs, checks=["test ! -f worse.txt"], final_checks=["test -f one.txt"])
    theirs = runs.commit(run.branch, {"worse.txt": "x\n"}, message="theirs")

    round = await checked(runs)

    now = await runs.run()
    assert (now.tip, [each["commit"] for each in now.foreign_commits]) == (theirs, [theirs])
    assert (str(round.state), round.tree) == ("failed", git(repository, "rev-parse", f"{theirs}^{{tree}}"))
    assert {each.check.name for each in round.defined} == {"test ! -f worse.txt", "test -f one.txt"}
    repaired = await runs.step(AddRepair(round_id=round.id))
    assert len(repaired.final["repairs"]) == 1


async def test_a_branch_that_lost_what_was_merged_stops_the_end_with_one_question(runs, repository, git):
    run = await finishing_run(runs, final_checks=["true"])
    git(repository, "update-ref", f"refs/heads/{run.branch}", git(repository, "commit-tree", "-m", "x", "HEAD^{tree}"))

    now = await runs.step(CheckFinal())

    assert "does not contain what was merged" in now.merging_stopped
    assert now.final is None
    view = await runs.read(lambda tx: read_view(tx, run_id=runs.id, facts=ProcessFacts()))
    assert [each.key for each in next_steps(view).steps] == ["tip-red"]
