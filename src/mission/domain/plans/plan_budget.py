"""The budget of a run: what it may spend as a whole, and on one task."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from mission.domain.plans.field_values import check_known, parse_number, parse_whole, wrong

MAX_USD = 1_000_000
MAX_MINUTES = 525_600
WHOLE_LIMITS = {"tokens": 1_000_000_000_000, "launches": 1_000_000}
LIMITS = ("usd", "tokens", "minutes", "launches")
BUDGET_KEYS = (*LIMITS, "per_task")


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanBudget:
    """Limits of money, tokens, wall time and launches. None is unlimited."""

    usd: float | None = None
    tokens: int | None = None
    minutes: float | None = None
    launches: int | None = None
    per_task: PlanBudget | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the limits that are set."""
        limits = {name: getattr(self, name) for name in LIMITS if getattr(self, name) is not None}
        return {**limits, "per_task": self.per_task.as_dict()} if self.per_task is not None else limits


def parse_limit(name: str, value: Any, *, field: str) -> float:
    """Return one limit."""
    if name in WHOLE_LIMITS:
        return parse_whole(value, field=field, least=1, limit=WHOLE_LIMITS[name])
    return parse_number(value, field=field, least=0.01, limit=MAX_USD if name == "usd" else MAX_MINUTES)


def parse_budget(value: Any, *, field: str, keys: Collection[str] = BUDGET_KEYS) -> PlanBudget:
    """Return the budget that a table describes; limits that are None are left out."""
    if not isinstance(value, Mapping):
        raise wrong(field, "must be a table of limits", "Write {usd = 20.0}, or a [budget] table.")
    check_known(value, keys, field=field)
    given = {name: limit for name, limit in value.items() if limit is not None}
    limits: dict[str, Any] = {
        name: parse_limit(name, limit, field=f"{field}.{name}") for name, limit in given.items() if name in LIMITS
    }
    if "per_task" in given:
        limits["per_task"] = parse_budget(given["per_task"], field=f"{field}.per_task", keys=LIMITS)
    return PlanBudget(**limits)
