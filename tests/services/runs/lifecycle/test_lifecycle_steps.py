"""The table of handlers: every step about a run as a whole has one."""

from __future__ import annotations

from mission.domain.runs import steps
from mission.services.runs.lifecycle.lifecycle_steps import LIFECYCLE_STEPS


def test_every_step_about_the_run_has_a_handler():
    assert set(LIFECYCLE_STEPS) == {
        steps.LookBefore, steps.Move, steps.CheckFinal, steps.AddRepair, steps.Finish, steps.Land, steps.CarryOut
    }  # fmt: skip
