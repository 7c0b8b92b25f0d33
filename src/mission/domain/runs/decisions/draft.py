"""A decision while it is being made: the steps so far, and when to look again."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from mission.domain.runs.steps import Ask, Decision, Step, Withdraw
from mission.domain.runs.view import RunView


@dataclass(kw_only=True, slots=True)
class Draft:
    """Collects what is to be done about one view."""

    view: RunView
    steps: list[Step] = field(default_factory=list)
    times: list[datetime] = field(default_factory=list)
    notes: dict[str, str] = field(default_factory=dict)
    stopped: set[str] = field(default_factory=set)
    """Executions that are being ended by this decision."""

    def add(self, *steps: Step) -> None:
        self.steps.extend(steps)

    def ask(self, question: Ask) -> None:
        """Ask, unless the question is open or its answer is not carried out yet."""
        known = question.key in self.view.items or question.key in self.view.decisions
        if not known and not any(isinstance(each, Ask) and each.key == question.key for each in self.steps):
            self.steps.append(question)

    def withdraw(self, key: str, reason: str) -> None:
        """Withdraw a question that is open and no longer needs an answer."""
        if key in self.view.items:
            self.steps.append(Withdraw(key=key, reason=reason))

    def look_at(self, moment: datetime) -> None:
        """Look again at that moment, if it has not passed."""
        if moment > self.view.now:
            self.times.append(moment)

    def decision(self) -> Decision:
        return Decision(steps=tuple(self.steps), look_again_at=min(self.times, default=None), notes=self.notes)
