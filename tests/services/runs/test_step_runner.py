"""Steps are carried out in lanes: merging in order, each freezing and each launch beside it."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest

from mission.domain.errors import InvalidState
from mission.domain.runs.steps import Ask, Build, CheckMerged, Freeze, Step, Withdraw
from mission.services.runs import step_runner
from mission.services.runs.step_runner import StepRunner

RUN = SimpleNamespace(id="run_1")
WORKS = Withdraw(key="trouble:merge", reason="it works again")


class Recorder:
    """Handlers that note what was carried out; those of `held` wait until they are let go."""

    def __init__(self) -> None:
        self.done: list[Step] = []
        self.held: dict[type[Step], asyncio.Event] = {}
        self.fails: set[type[Step]] = set()
        self.changed = asyncio.Event()

    async def carry_out(self, _context: object, _run: object, step: Step) -> None:
        if (gate := self.held.get(type(step))) is not None:
            await gate.wait()
        if type(step) in self.fails:
            raise InvalidState("no")
        self.done.append(step)
        self.changed.set()

    async def until(self, *steps: Step) -> None:
        async with asyncio.timeout(30):
            while self.done != list(steps):
                self.changed.clear()
                await self.changed.wait()


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
def events() -> SimpleNamespace:
    return SimpleNamespace(last=1)


@pytest.fixture
async def runner(recorder, events):
    kinds = (Ask, Build, CheckMerged, Freeze, Withdraw)
    made = StepRunner(SimpleNamespace(events=events), dict.fromkeys(kinds, recorder.carry_out), wake=lambda: None)
    yield made
    await made.close()


async def test_a_report_is_frozen_while_a_merged_tree_is_being_set_up(runner, recorder):
    gate = recorder.held[CheckMerged] = asyncio.Event()
    check, freeze = CheckMerged(candidate_ids=("cd_1",)), Freeze(candidate_id="cd_2")

    await runner.carry_out(RUN, [check])
    await runner.carry_out(RUN, [freeze, check])
    await recorder.until(freeze)

    gate.set()
    await recorder.until(freeze, check, WORKS)


async def test_steps_of_merging_wait_for_each_other(runner, recorder):
    gate = recorder.held[CheckMerged] = asyncio.Event()
    check, build = CheckMerged(candidate_ids=("cd_1",)), Build(candidate_ids=("cd_2",))

    await runner.carry_out(RUN, [check])
    await runner.carry_out(RUN, [build])
    gate.set()
    await recorder.until(check, WORKS)

    assert build not in recorder.done, "it is decided again after the first one"


async def test_a_step_that_changed_nothing_waits_until_something_happens(runner, recorder, events):
    """Its handler found the merge worktree busy; asking again at once would only cost time."""
    check = CheckMerged(candidate_ids=("cd_1",))
    await runner.carry_out(RUN, [check])
    await recorder.until(check, WORKS)
    await asyncio.sleep(0)  # the end of the task is noted

    await runner.carry_out(RUN, [check])
    assert not runner.is_busy
    events.last += 1
    await runner.carry_out(RUN, [check])
    await recorder.until(check, WORKS, check)


async def test_a_failed_step_that_nobody_wants_any_more_is_forgotten(runner, recorder, monkeypatch):
    monkeypatch.setattr("mission.services.runs.step_runner.FIRST_DELAY", 0.0)
    recorder.fails.add(Withdraw)
    await runner.carry_out(RUN, [Withdraw(key="a", reason="b")])
    assert runner.has_retries

    await runner.carry_out(RUN, [])

    assert not runner.has_retries


async def test_a_person_is_told_once_about_a_step_that_keeps_failing_and_when_it_works_again(
    runner, recorder, monkeypatch
):
    monkeypatch.setattr(step_runner, "FIRST_DELAY", 0.0)
    recorder.fails.add(Build)
    build = Build(candidate_ids=("cd_1",))
    for _ in range(step_runner.TOLD + 1):
        await runner.carry_out(RUN, [build])
        await asyncio.gather(*runner._tasks.values())
    (asked,) = recorder.done
    assert (asked.key, asked.subject) == ("trouble:merge", "A step of the run keeps failing: no")
    assert [each["value"] for each in asked.choices] == ["retry", "stop"]

    recorder.fails.clear()
    await runner.carry_out(RUN, [build])
    await asyncio.gather(*runner._tasks.values())

    assert recorder.done[1:] == [build, WORKS]
