"""The road of a signal when the store fails it: tried again when that passes, and never a traceback."""

from __future__ import annotations

import pytest

from mission.domain.errors import TransientError
from mission.domain.executions.signals import Delivery
from mission.gateway import signal_intake
from mission.gateway.retry import Retry
from tests.fake_executions import FakeExecutions


@pytest.fixture
def deliver(app, call, monkeypatch):
    """Send a signal while observing it fails, each time with the next of these errors."""
    taken = app.gateway.signals
    monkeypatch.setattr(taken, "_retry", Retry(pause=0))
    observe = signal_intake.signals.observe

    async def send(*errors):
        left = list(errors)

        def observed(tx, **arguments):
            if left:
                raise left.pop(0)
            return observe(tx, **arguments)

        monkeypatch.setattr(signal_intake.signals, "observe", observed)
        created = await FakeExecutions(app, call).launch()
        payload = {"summary": "Half way"}
        return await taken.deliver(created.execution.id, "progress", "e1", payload, delivery=Delivery.MCP_TOOL)

    return send


async def test_a_passing_failure_is_tried_again(deliver):
    assert (await deliver(TransientError(), TransientError())).status == "promoted"


async def test_what_nobody_foresaw_is_a_rejection_with_an_incident_that_the_audit_explains(deliver, app, call):
    ack = await deliver(RuntimeError("secret path /etc"))

    assert ack.status == "rejected"
    assert "secret" not in ack.reason
    await app.gateway.audit.flush()
    [entry] = (await call("audit_list", {"tool": "signal:progress"}))["entries"]
    assert entry["id"] in ack.reason
    assert "RuntimeError" in entry["trace"]
