"""The steps from a report to the merge, each with the function that carries it out."""

from __future__ import annotations

from collections.abc import Mapping

from mission.domain.runs.steps import (
    Advance,
    Build,
    CheckMerged,
    CheckTip,
    Freeze,
    MarkChecked,
    SendBack,
    Step,
    StopMerging,
)
from mission.services.runs.context import StepHandler
from mission.services.runs.merging.advancing import advance
from mission.services.runs.merging.building import build
from mission.services.runs.merging.checking import check_merged, check_tip
from mission.services.runs.merging.freezing import freeze
from mission.services.runs.merging.returning import send_back, stop_merging
from mission.services.runs.merging.verdicts import mark_checked

MERGE_STEPS: Mapping[type[Step], StepHandler] = {
    Freeze: freeze,
    Build: build,
    CheckMerged: check_merged,
    CheckTip: check_tip,
    MarkChecked: mark_checked,
    Advance: advance,
    SendBack: send_back,
    StopMerging: stop_merging,
}
