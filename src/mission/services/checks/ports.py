"""The parts of checks that tools use: the gate, the rounds under way, and the machine that runs commands."""

from __future__ import annotations

from dataclasses import dataclass

from mission.services.checks.check_place import CheckHost
from mission.services.checks.check_runner import CheckRunner
from mission.services.checks.checker import Checker
from mission.services.tasks.completion import Gate


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckPorts:
    gate: Gate
    checker: Checker
    runner: CheckRunner
    host: CheckHost
