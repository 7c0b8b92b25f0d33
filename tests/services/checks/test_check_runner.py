"""The end of a check's command: nothing but a plain exit code 0 passes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from mission.services.checks.check_runner import CheckExit

PASSED = CheckExit(exit_code=0)


def test_exit_code_0_passes():
    assert PASSED.passed


@pytest.mark.parametrize(
    "doubt",
    [
        {"exit_code": 1},
        {"exit_code": None},
        {"exit_code": None, "signal": "SIGKILL"},
        {"timed_out": True},
        {"idle": True},
        {"stopped": True},
        {"lost": True},
        {"error": "the disk is full"},
        {"error": ""},
    ],
)
def test_anything_else_does_not(doubt: dict[str, Any]):
    assert not replace(PASSED, **doubt).passed
