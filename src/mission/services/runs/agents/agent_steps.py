"""The handlers of the steps about agents and questions."""

from __future__ import annotations

from collections.abc import Mapping

from mission.domain.runs.steps import Ask, Launch, SkipTasks, Step, StopExecution, Tell, Withdraw
from mission.services.runs.agents import asking, launching, skipping, stopping
from mission.services.runs.context import StepHandler

AGENT_STEPS: Mapping[type[Step], StepHandler] = {
    Launch: launching.launch,
    StopExecution: stopping.stop,
    Tell: stopping.tell,
    Ask: asking.ask,
    Withdraw: asking.withdraw,
    SkipTasks: skipping.skip,
}
