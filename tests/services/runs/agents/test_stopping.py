"""Ending agents of a run, also those that another daemon of the host follows."""

from __future__ import annotations

import pytest

from mission.domain.executions.command import CommandKind
from mission.domain.runs.steps import StopExecution
from mission.services.runs.agents import stopping
from tests.fake_executions import FakeExecutions
from tests.services.conftest import fake_executions as fake_executions
from tests.started_runs import StartedRuns
from tests.started_runs import runs as runs


async def test_an_agent_that_another_daemon_follows_is_ended_by_that_one(
    runs: StartedRuns, fake_executions: FakeExecutions, monkeypatch: pytest.MonkeyPatch
):
    await runs.running()
    made = await fake_executions.launch((await runs.tasks())["one"].id)
    monkeypatch.setattr(runs.context.launcher, "manages", lambda _: False)

    step = StopExecution(execution_id=made.execution.id, reason="stopped after its report")
    for _ in range(2):
        await stopping.stop(runs.context, await runs.run(), step)

    sent = await runs.read(lambda tx: tx.commands.pending_of(made.execution.id))
    assert [(each.kind, each.text) for each in sent] == [(CommandKind.STOP, "stopped after its report")]
