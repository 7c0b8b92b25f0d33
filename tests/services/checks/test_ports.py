"""What tools use of checks is one object, built once."""

from __future__ import annotations

from mission.services.checks.ports import CheckPorts


def test_the_gateway_gets_the_checker_and_runner_of_its_process(app):
    ports = app.gateway._ports.checks

    assert isinstance(ports, CheckPorts)
    assert (ports.checker, ports.runner) == (app.checker, app.check_runner)
    assert ports.gate.wait_seconds == app.settings.check_wait_seconds == 45
