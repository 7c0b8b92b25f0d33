"""The handlers of the steps about a run as a whole: its beginning, its states and its end."""

from __future__ import annotations

from collections.abc import Mapping

from mission.domain.runs.steps import AddRepair, CarryOut, CheckFinal, Finish, Land, LookBefore, Move, Step
from mission.services.runs.context import StepHandler
from mission.services.runs.lifecycle import decisions, finishing, landing, preflight

LIFECYCLE_STEPS: Mapping[type[Step], StepHandler] = {
    LookBefore: preflight.look_before,
    Move: finishing.move,
    CheckFinal: finishing.check_final,
    AddRepair: finishing.add_repair,
    Finish: finishing.finish,
    Land: landing.land_step,
    CarryOut: decisions.carry_out,
}
