"""Tasks of a plan as callers describe them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from mission.domain.checks.check import parse_checks
from mission.domain.checks.review import ReviewRule
from mission.gateway.registry import Arguments
from mission.services.missions.planning import NewTask
from mission.tools.shared.fields import Checks, GivenTexts, Name, PhaseNumber, Text
from mission.tools.shared.review import available_review

MAX_TASKS = 10_000
"""Maximum number of tasks per call."""


class PlanTask(Arguments):
    name: Name
    description: Text
    sequence: PhaseNumber = Field(description="Tasks with the same number may run in parallel")
    parallel_group: Name | None = None
    depends_on: list[Name] = Field([], max_length=1000, description="Names of prerequisite tasks")
    requires: list[Name] = Field([], max_length=100, description="Only agents with all of these can claim it")
    estimated_complexity: Literal["low", "medium", "high"] | None = None
    files_likely_affected: GivenTexts = []
    checks: Checks = Field([], description="What must pass before it is done, besides the mission's checks")
    acceptance: GivenTexts = Field([], description="Acceptance criteria for the reviewer")
    review: ReviewRule | None = Field(None, description="Who reviews the result; default: the mission's rule")

    def new(self) -> NewTask:
        return NewTask(
            name=self.name,
            description=self.description,
            sequence=self.sequence,
            parallel_group=self.parallel_group,
            depends_on=self.depends_on,
            requires=self.requires,
            complexity=self.estimated_complexity,
            files_likely_affected=self.files_likely_affected,
            checks=parse_checks(self.checks),
            acceptance=self.acceptance,
            review=available_review(self.review),
        )
