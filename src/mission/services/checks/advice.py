"""Run the checks of a task as advice, or wait for those under way."""

from __future__ import annotations

import asyncio

from mission.services.checks import reading
from mission.services.checks.checker import Checker
from mission.services.checks.reading import TaskChecks
from mission.services.work import Work


async def ask(
    work: Work, checker: Checker, *, task_id: str, agent_id: str | None, run: bool, seconds: float
) -> TaskChecks:
    """Return the results of a task's checks, after waiting for those under way; `run` starts them if none are."""
    deadline = asyncio.get_running_loop().time() + seconds
    if run:
        round = await work.write(reading.open_advice, task_id=task_id, agent_id=agent_id)
    else:
        round = await work.read(reading.open_round, task_id=task_id)
    if round is not None:
        await checker.settled(round.id, host_id=round.host_id, seconds=seconds)
    if (candidate_id := await work.read(reading.open_candidate, task_id=task_id)) is not None:
        await checker.decided(candidate_id, seconds=deadline - asyncio.get_running_loop().time())
    return await work.finish(reading.of_task, task_id=task_id)
