"""A daemon drives a run from its start to its end, with scripted agents, real worktrees and real merges."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest

from mission.domain.runs.decisions import stalls
from mission.domain.runs.steps import Build
from mission.services.checks import settling
from mission.services.runs import driver
from mission.services.runs.driver import RunDriver
from mission.services.runs.step_runner import StepRunner
from mission.settings import Settings
from tests.driven_runs import PATIENCE, DrivenRun, does, driven


@pytest.fixture
async def run(settings: Settings, repository: Path) -> AsyncIterator[DrivenRun]:
    async with driven(settings, repository) as made:
        yield made


async def test_a_run_merges_the_work_of_its_tasks_in_order_and_finishes(run: DrivenRun):
    before = run.git("status", "--porcelain"), run.git("rev-parse", "HEAD"), run.git("branch", "--show-current")
    await run.start(does("one", "write one.txt first"), does("two", "write two.txt second", depends_on=["one"]))

    found = await run.finished()

    assert {each["name"]: each["stage"] for each in found["tasks"]} == {"one": "merged", "two": "merged"}
    assert {each["proof_state"] for each in found["tasks"]} == {"proved"}
    files = run.files(found["branch"])
    assert files["one.txt"] == "first"
    assert files["two.txt"] == "second"
    assert (
        run.git("status", "--porcelain"),
        run.git("rev-parse", "HEAD"),
        run.git("branch", "--show-current"),
    ) == before


async def test_an_agent_that_crashes_is_started_again_and_its_work_is_merged(run: DrivenRun):
    await run.start(does("one", "crash-once", "write one.txt first"))

    found = await run.finished()

    (task,) = found["tasks"]
    assert (task["stage"], task["attempts"]) == ("merged", 1)
    assert found["spent"]["launches"] == 2


async def test_a_lie_is_caught_by_the_check_and_sent_back(run: DrivenRun):
    check = {"name": "there", "run": "test -f one.txt"}
    await run.start(does("one", "lie-once one.txt", checks=[check]))

    found = await run.finished()

    (task,) = found["tasks"]
    assert (task["stage"], task["revisions"], task["attempts"]) == ("merged", 1, 0)
    assert run.files(found["branch"])["one.txt"] == "really done"


async def test_a_run_whose_checks_are_under_way_is_looked_at_though_nobody_is_told_of_their_end(
    run: DrivenRun, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(driver, "LOOK_SECONDS", 0.1)
    monkeypatch.setattr(driver, "QUIET_SECONDS", 10 * PATIENCE)
    monkeypatch.setattr(settling, "_publish_end", lambda *_: None)
    await run.start(does("one", "lie-once one.txt", checks=[{"name": "there", "run": "test -f one.txt"}]))

    assert (await run.finished())["tasks"][0]["revisions"] == 1


async def test_of_two_that_conflict_one_resolves_it_in_its_own_worktree(run: DrivenRun):
    meet = "meet here 2"  # neither starts on what the other one merged
    await run.start(does("one", meet, "write same.txt first"), does("two", meet, "write same.txt second"))

    found = await run.finished()

    assert {each["stage"] for each in found["tasks"]} == {"merged"}
    assert sorted(each["revisions"] for each in found["tasks"]) == [0, 1]


async def test_a_question_holds_its_own_task_and_its_answer_starts_the_agent_again(run: DrivenRun):
    await run.start(does("one", "ask-once Which way?", "answer way.txt"), does("two", "write two.txt second"))

    question = await run.question("Which way?")
    await run.until(lambda seen: any(each["stage"] == "merged" for each in seen["tasks"]))
    await run.answer(question, "Left")
    found = await run.finished()

    assert run.files(found["branch"])["way.txt"] == "left"
    assert {each["attempts"] for each in found["tasks"]} == {0}


async def test_a_failure_by_the_agents_word_asks_at_once_and_skipping_frees_the_dependents(run: DrivenRun):
    await run.start(does("one", "fail no network"), does("two", "write two.txt second", depends_on=["one"]))

    question = await run.question("no network")
    await run.answer(question, "Skip it; dependents start without it")
    found = await run.finished()

    assert {each["name"]: each["stage"] for each in found["tasks"]} == {"one": "skipped", "two": "merged"}


async def test_after_all_attempts_a_person_is_asked_and_may_skip_the_dependents_too(run: DrivenRun):
    await run.start(does("one", "silent"), does("two", "write two.txt x", depends_on=["one"]), attempts=2)

    question = await run.question("ended 2 times without a report")
    await run.answer(question, "Skip it and its dependents")
    found = await run.finished()

    assert {each["stage"] for each in found["tasks"]} == {"skipped"}


async def test_stopping_as_an_answer_ends_the_run_and_its_agents(run: DrivenRun):
    await run.start(does("one", "fail no network"), does("two", "hang"))

    await run.until(lambda seen: any(each["stage"] == "working" for each in seen["tasks"] if each["name"] == "two"))
    await run.answer(await run.question("no network"), "Stop the run")
    await run.until(lambda seen: seen["state"] == "stopped")

    async def nobody_works() -> bool:
        return not (await run.call("overview_executions", {"status": ["running", "starting"]}))["executions"]

    for _ in range(600):
        if await nobody_works():
            break
        await run.app.events.wait(run.app.events.last, seconds=0.1)
    assert await nobody_works()


async def test_a_paused_run_launches_nothing_until_it_is_resumed(run: DrivenRun):
    await run.start(
        does("one", "write one.txt x"), does("two", "write two.txt x", depends_on=["one"]), checks=["sleep 0.3"]
    )
    await run.until(lambda seen: seen["tasks"][0]["stage"] == "working")
    await run.call("run_pause", {"run_id": run.id})

    seen = await run.until(lambda seen: seen["tasks"][0]["stage"] == "merged")

    assert (seen["state"], seen["spent"]["launches"]) == ("paused", 1)
    await run.call("run_resume", {"run_id": run.id})
    assert {each["stage"] for each in (await run.finished())["tasks"]} == {"merged"}


async def test_a_budget_of_launches_asks_and_goes_on_when_it_is_raised(run: DrivenRun):
    await run.start(does("one", "write one.txt x"), does("two", "write two.txt x"), budget={"launches": 1}, count=1)

    question = await run.question("The budget is spent")
    await run.answer(question, "Raise the budget", "5 launches")

    assert {each["stage"] for each in (await run.finished())["tasks"]} == {"merged"}


async def test_the_next_daemon_continues_with_a_run(settings: Settings, repository: Path):
    async with driven(settings, repository) as first:
        await first.start(does("one", "write one.txt x"), does("two", "write two.txt x", depends_on=["one"]))
        await first.until(lambda seen: seen["tasks"][0]["stage"] != "waiting")
    async with driven(settings, repository) as second:
        second.id, second.mission_id = first.id, first.mission_id
        found = await second.finished()

    assert {each["stage"] for each in found["tasks"]} == {"merged"}


async def test_what_is_written_right_after_a_wake_up_wakes_the_runs_again_at_once():
    class Log:
        last = 0

        async def wait(self, since: int, *, seconds: float) -> bool:  # noqa: ARG002
            while self.last <= since:  # noqa: ASYNC110 - it stands for a log that tells nobody twice
                await asyncio.sleep(0.001)
            return True

    class Awakened(RunDriver):
        def wake(self) -> None:
            seen.append(written.last)
            written.last = 2

    async def nothing_to_drive(function, **_):
        return []

    written, seen = Log(), []
    work = SimpleNamespace(read=nothing_to_drive)
    driver = Awakened(SimpleNamespace(events=written, work=work, host_id="here"))
    await driver.open()
    await asyncio.sleep(0)
    written.last = 1
    async with asyncio.timeout(10):
        while len(seen) < 2:  # noqa: ASYNC110
            await asyncio.sleep(0.001)
    await driver.close()

    assert seen == [1, 2]


async def test_the_end_of_a_slow_step_is_a_reason_to_look_again_although_nothing_was_written():
    may_end, woken = asyncio.Event(), asyncio.Event()

    async def merge_slowly(*_):
        await may_end.wait()

    context = SimpleNamespace(events=SimpleNamespace(last=0))
    runner = StepRunner(context, {Build: merge_slowly}, wake=woken.set)
    await runner.carry_out(None, [Build(candidate_ids=["cd_1"])])
    await runner.carry_out(None, [Build(candidate_ids=["cd_2"])])  # the branch is in use: it has to wait
    assert not runner.has_ended
    may_end.set()
    async with asyncio.timeout(10):
        await woken.wait()

    assert runner.has_ended
    await runner.carry_out(None, [])
    assert not runner.has_ended


async def test_an_agent_that_stays_after_its_report_holds_up_nothing_and_is_ended(run: DrivenRun, monkeypatch):
    monkeypatch.setattr(stalls, "LAST_WORDS", timedelta(seconds=1))
    await run.start(
        does("one", "write one.txt first", "linger"),
        does("two", "write two.txt second", "hang", depends_on=["one"]),
        count=1,
    )

    found = await run.until(lambda now: now["tasks"][1]["stage"] == "working")
    assert found["tasks"][0]["stage"] == "merged"
    one = found["tasks"][0]["execution_id"]
    async with asyncio.timeout(PATIENCE):
        while (ended := await run.call("execution_get", {"id": one}))["status"] not in ("stopped", "completed"):
            await run.app.events.wait(run.app.events.last, seconds=1)

    assert (ended["status"], ended["reason"]) == ("stopped", "stopped after its report")


async def test_an_agent_that_stays_after_a_report_that_is_sent_back_gives_way_to_the_next_one(run: DrivenRun):
    check = {"name": "there", "run": "test -f one.txt"}
    await run.start(does("one", "lie-once one.txt", "linger", checks=[check]))

    found = await run.finished()

    (task,) = found["tasks"]
    assert (task["stage"], task["revisions"], task["attempts"]) == ("merged", 1, 0)
    assert found["spent"]["launches"] == 2


async def test_a_run_that_lands_by_itself_leaves_no_worktree_and_no_branch(run: DrivenRun):
    await run.start(does("one", "write one.txt first"), does("two", "write two.txt second"), land=True)

    found = await run.finished()

    assert (found["landing"]["state"], found["landing"]["kept"]) == ("landed", [])
    assert (run.repository / "two.txt").read_text() == "second\n"
    assert run.git("for-each-ref", "--format=%(refname)", "refs/heads/mission") == ""
    assert run.git("worktree", "list", "--porcelain").count("worktree ") == 1


async def test_a_finished_run_keeps_the_worktrees_of_its_tasks_and_no_other(run: DrivenRun):
    await run.start(does("one", "write one.txt first"), final_checks=["test -f one.txt"])

    found = await run.finished()

    listed = run.git("worktree", "list", "--porcelain").splitlines()
    branches = [line.removeprefix("branch refs/heads/") for line in listed]
    assert [each for each in branches if each.startswith("mission/")] == [f"{found['branch']}.{_id(found)}"]
    async with asyncio.timeout(PATIENCE):
        while run.git("worktree", "list").count("\n") > 1:  # noqa: ASYNC110 - git tells nobody
            await asyncio.sleep(0.05)


def _id(found):
    return found["tasks"][0]["task_id"].removeprefix("t_")
