"""The progress of rounds: no sequence of calls, crashes and edits proves what no command has seen."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mission.services.checks import checker, progress, reading
from mission.services.checks.check_runner import CheckExit
from tests.checked_tasks import checked as checked
from tests.fault_cases import examples
from tests.services.checks.simulation import Simulation, check_evidence

UNIT = {"name": "unit", "run": "unit"}
TERMS = {"excuses": True, "lease": timedelta(minutes=1)}
CHECKS = [
    [UNIT],
    [UNIT, {"name": "lint", "run": "lint"}],
    [{**UNIT, "retries": 1}, {"name": "lint", "run": "lint", "parallel": True}],
    [{**UNIT, "parallel": True}, {"name": "lint", "run": "lint", "parallel": True}],
    [{**UNIT, "before": "fail", "tests": ["**"]}],
    [{**UNIT, "required": False}, {"name": "files", "changed": ["**"]}],
    [{**UNIT, "reuse": False}, {"name": "lint", "run": "lint", "required": False}],
]
ENDS = [
    CheckExit(exit_code=0),
    CheckExit(exit_code=0),
    CheckExit(exit_code=0),
    CheckExit(exit_code=1),
    CheckExit(exit_code=127),
    CheckExit(lost=True),
    CheckExit(timed_out=True),
]
STEPS = st.one_of(
    st.tuples(st.just("report"), st.just(False)),
    st.tuples(st.just("report"), st.booleans()),
    st.tuples(st.just("advise")),
    st.tuples(st.just("edit"), st.integers(0, 3)),
    st.tuples(st.just("end_command"), st.integers(0, 3), st.sampled_from(ENDS)),
    st.tuples(st.just("end_command"), st.integers(0, 3), st.sampled_from(ENDS)),
    st.tuples(st.just("crash")),
    st.tuples(st.just("skip")),
    st.tuples(st.just("pass_time"), st.sampled_from([1, 25])),
    st.tuples(st.just("set_checks"), st.sampled_from(CHECKS)),
)


@settings(max_examples=examples(20), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(checks=st.sampled_from(CHECKS), steps=st.lists(STEPS, min_size=3, max_size=20))
async def test_nothing_is_proved_without_passing_evidence_of_that_definition_and_tree(app, call, clock, checks, steps):
    checker_look = checker.LOOK_SECONDS
    checker.LOOK_SECONDS = 0.02
    simulation = Simulation(app, call, clock)
    try:
        await simulation.open(checks)
        for name, *given_values in steps:
            await getattr(simulation, name)(*given_values)
            await simulation.check_invariants()
    finally:
        await simulation.close()
        checker.LOOK_SECONDS = checker_look


@pytest.mark.parametrize("crashes", [0, 1, 3])
async def test_a_passing_task_is_proved_however_often_its_driver_dies(app, call, clock, crashes):
    simulation = Simulation(app, call, clock)
    await simulation.open([UNIT, {"name": "lint", "run": "lint"}])
    await simulation.edit(1)
    first = simulation.task
    await simulation.report(unproved=False)
    for _ in range(2):
        for _ in range(crashes):
            await simulation.crash()
        await simulation.end_command(0, CheckExit(exit_code=0))

    row = await app.database.read(lambda tx: tx.tasks.get(first))
    assert (str(row.status), str(row.proof_state), row.proof["tree"]) == ("completed", "proved", "tree-1")
    assert len(simulation.machine.commands) == 2
    await simulation.check_invariants()
    await simulation.close()


async def test_the_simulation_finds_evidence_of_a_tree_that_no_command_saw(app, call, clock):
    """A test of the test: what is wrong must be found."""
    simulation = Simulation(app, call, clock)
    await simulation.open([UNIT])
    await simulation.report(unproved=False)
    await simulation.end_command(0, CheckExit(exit_code=0))
    await simulation.check_invariants()

    with pytest.raises(AssertionError, match="which no command saw"):
        await app.database.read(check_evidence, mission_id=simulation.mission, saw=set())
    await simulation.close()


async def test_a_round_has_one_driver_until_its_lease_ends(checked, clock):
    await checked.check("true")
    task = await checked.started()
    write = checked.call.app.database.write
    round = await write(_advice, task_id=task)

    assert await write(progress.begin, round_id=round, holder="a", **TERMS)
    assert not await write(progress.begin, round_id=round, holder="b", **TERMS)
    over = await write(progress.advance, round_id=round, holder="b", lease=timedelta(minutes=1))
    assert over.is_over
    clock.advance(seconds=16)
    assert await write(progress.begin, round_id=round, holder="b", **TERMS)
    assert (await write(progress.advance, round_id=round, holder="a", lease=timedelta(minutes=1))).is_over


async def test_a_released_round_is_taken_at_once(checked):
    await checked.check("true")
    task = await checked.started()
    write = checked.call.app.database.write
    round = await write(_advice, task_id=task)
    await write(progress.begin, round_id=round, holder="a", **TERMS)

    await write(progress.release, round_id=round, holder="b")
    assert not await write(progress.begin, round_id=round, holder="b", **TERMS)
    await write(progress.release, round_id=round, holder="a")

    assert await write(progress.begin, round_id=round, holder="b", **TERMS)


def _advice(tx, *, task_id):
    return reading.open_advice(tx, task_id=task_id, agent_id=None).id
