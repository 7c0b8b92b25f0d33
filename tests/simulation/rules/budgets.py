"""Budgets overshoot by at most what was already spent in flight."""

from __future__ import annotations

from mission.domain.runs.run import Run, RunState
from tests.simulation.ports.machine import Machine
from tests.simulation.rules.facts import Facts, Violation

LAST_SECONDS = 60.0 + 45.0
"""An agent has a minute for its checkpoint; a daemon may take some time to notice, and to end it."""


class BudgetWatch:
    """Looks now and then whether agents go on although the budget is spent."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._seen: object = None
        self._since = 0.0

    def look(self, run: Run, *, now: float, lives: object) -> None:
        """Raise a Violation if a program runs much longer than it may; new rules or a death restart the clock."""
        limit, wanted = run.wanted.budget.usd, run.wanted
        is_spent = limit is not None and self._machine.recorded() >= limit and not wanted.finish_only
        seen = (limit, run.state, lives) if is_spent and run.state is RunState.RUNNING else None
        if seen is None or seen != self._seen:
            self._seen, self._since = seen, now
            return
        left = [each.execution_id for each in self._machine.running if each.started_at < self._since]
        if left and now - self._since > LAST_SECONDS:
            raise Violation(f"agents_are_ended_when_the_budget_is_spent: {left} go on after {now - self._since:.0f} s")


def budgets_overshoot_by_at_most_what_was_in_flight(facts: Facts) -> None:
    """Look at a budget of money that was reached and never raised."""
    wanted, machine = facts.run.wanted, facts.machine
    limit = machine.limit
    if limit is None or wanted.budget.usd != limit or wanted.finish_only:
        return
    reached = machine.reached(limit)
    if reached is None:
        return
    at, known = reached
    spent = sum(known.values())
    programs = list(machine.programs.values())
    in_flight = sum(each.cost - known.get(each.execution_id, 0.0) for each in programs if each.started_at <= at)
    overshoot, allowed = sum(each.cost for each in programs) - limit, spent - limit + in_flight
    assert overshoot <= allowed + 1e-9, f"{overshoot:.2f} USD too much, of which {allowed:.2f} were in flight"
