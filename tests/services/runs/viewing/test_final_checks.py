"""The final checks of a run as people read them."""

from __future__ import annotations

import asyncio

from mission.domain.runs.run import RunState
from mission.domain.runs.steps import CheckFinal, Move
from tests.started_runs import PATIENCE
from tests.started_runs import runs as runs


async def test_final_checks_show_the_newest_result_of_each_while_they_run(runs, tmp_path):
    gate = tmp_path / "gate"
    slow = f"until test -f {gate}; do sleep 0.02; done"
    await runs.running(final_checks=[{"name": "quick", "run": "true"}, {"name": "slow", "run": slow}])
    await runs.merge("one", {"one.txt": "x\n"})
    await runs.step(Move(state=RunState.FINISHING))
    assert (await runs.get())["final"] is None
    run = await runs.step(CheckFinal())

    events, states = runs.call.app.events, {}
    async with asyncio.timeout(PATIENCE):
        while states != {"quick": "passed", "slow": "running"}:
            final = (await runs.get())["final"]
            states = {each["name"]: each["state"] for each in final["checks"]}
            await events.wait(events.last, seconds=0.05)
    assert (final["commit"], final["state"]) == (run.tip, "open")
    gate.touch()
    await runs.settled(run.final["round_id"])

    final = (await runs.get())["final"]
    assert (final["state"], [each["state"] for each in final["checks"]]) == ("passed", ["passed", "passed"])
