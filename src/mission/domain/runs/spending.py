"""What a run, a task or a day has spent: summed from what clients report. An unknown price is unknown, never 0."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Protocol

from mission.domain.executions.execution import Execution
from mission.domain.runs.options import Limits
from mission.domain.runs.view import Spent

WARN_AT = 0.8
TOKENS = ("input_tokens", "output_tokens")
LABELS = {"usd": "the money", "tokens": "the tokens", "minutes": "the minutes", "launches": "the launches"}


class Spender(Protocol):
    """The facts about the spending of an execution."""

    @property
    def usage(self) -> Mapping[str, Any] | None: ...
    @property
    def started_at(self) -> datetime | None: ...
    @property
    def ended_at(self) -> datetime | None: ...
    @property
    def is_live(self) -> bool: ...


def spent_by(executions: Iterable[Spender], *, now: datetime, minutes: float | None = None) -> Spent:
    """Return what these executions spent; `minutes` is the wall time, by default the sum of their own."""
    rows = list(executions)
    own = sum(_seconds(each, now=now) for each in rows) / 60
    prices, counts = [price(each) for each in rows], [tokens(each) for each in rows]
    used = _total(counts)
    return Spent(
        known_usd=sum(each for each in prices if each is not None),
        known_tokens=int(sum(each for each in counts if each is not None)),
        usd=_total(prices),
        tokens=int(used) if used is not None else None,
        minutes=round(own if minutes is None else minutes, 3),
        launches=len(rows),
    )


def exhausted(spent: Spent, limits: Limits) -> list[str]:
    """Return the limits that are certainly reached."""
    return [name for name, share in shares(spent, limits).items() if share >= 1]


def warning(spent: Spent, limits: Limits) -> str | None:
    """Return a sentence once a limit is four fifths spent, or a limit of money cannot be watched."""
    near = {name: share for name, share in shares(spent, limits).items() if share >= WARN_AT}
    if near:
        parts = [f"{share:.0%} of {LABELS[name]}" for name, share in near.items()]
        return f"{' and '.join(parts)} is spent."
    unknown = [name for name in LABELS if getattr(limits, name) is not None and getattr(spent, name) is None]
    listed = " and ".join(LABELS[name] for name in unknown)
    return f"A client does not report {listed} it uses, so that limit cannot be enforced." if unknown else None


def shares(spent: Spent, limits: Limits) -> dict[str, float]:
    """Return how much of each limit is certainly spent."""
    given = {name: limit for name in LABELS if (limit := getattr(limits, name)) is not None}
    return {name: spent.at_least(name) / limit for name, limit in given.items()}


def price(execution: Spender) -> float | None:
    """Return what an execution cost; None if its client did not say."""
    if _is_silent_yet(execution):
        return 0.0
    return _number((execution.usage or {}).get("cost_usd"))


def tokens(execution: Spender) -> float | None:
    """Return how many tokens an execution used; None if its client did not say."""
    if _is_silent_yet(execution):
        return 0.0
    return _total(_number((execution.usage or {}).get(name)) for name in TOKENS)


def _is_silent_yet(execution: Spender) -> bool:
    """Return whether nothing can be known yet: the program has not ended, or it never ran."""
    return not execution.usage and (execution.is_live or execution.started_at is None)


def _seconds(execution: Spender, *, now: datetime) -> float:
    if execution.started_at is None:
        return 0.0
    return max(0.0, ((execution.ended_at or now) - execution.started_at).total_seconds())


def _total(values: Iterable[float | None]) -> float | None:
    total = 0.0
    for value in values:
        if value is None:
            return None
        total += value
    return total


def _number(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
    return float(value) if is_number else None


def by_task(executions: Iterable[Execution]) -> Mapping[str, list[Execution]]:
    """Return the executions of each task, in their order."""
    found: dict[str, list[Execution]] = {}
    for each in executions:
        found.setdefault(each.task_id, []).append(each)
    return found
