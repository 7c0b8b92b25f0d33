"""What work cost, as its clients report it. What nobody reported is unknown, never 0."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TypeVar

Key = TypeVar("Key")


@dataclass(frozen=True, kw_only=True, slots=True)
class Expense:
    """The cost of one execution, or of a task that an agent did which Mission Control did not launch."""

    mission_id: str
    task_id: str
    agent_id: str | None
    at: datetime
    """When it ended, or was last heard of."""
    usd: float | None
    tokens: int | None
    run_id: str | None = None

    def day(self, *, offset: timedelta = timedelta()) -> date:
        """Return the day on which it was spent, for somebody whose clock is `offset` ahead of UTC."""
        return (self.at + offset).date()


@dataclass(frozen=True, kw_only=True, slots=True)
class Cost:
    """The sum of some expenses."""

    usd: float | None = None
    """What is known; None if nothing is."""
    tokens: int | None = None
    unknown: int = 0
    """How many of the expenses have no price: the true sum is higher."""
    expenses: int = 0


def total(expenses: Iterable[Expense]) -> Cost:
    """Return the sum of the known prices, and how many are unknown."""
    rows = list(expenses)
    prices = [each.usd for each in rows if each.usd is not None]
    tokens = [each.tokens for each in rows if each.tokens is not None]
    return Cost(
        usd=round(sum(prices), 6) if prices else None,
        tokens=sum(tokens) if tokens else None,
        unknown=len(rows) - len(prices),
        expenses=len(rows),
    )


def by(expenses: Iterable[Expense], key: Callable[[Expense], Key | None]) -> dict[Key, Cost]:
    """Return the cost of each group, the most expensive first; expenses without a key belong to none."""
    groups: dict[Key, list[Expense]] = {}
    for each in expenses:
        name = key(each)
        if name is not None:
            groups.setdefault(name, []).append(each)
    costs = {name: total(group) for name, group in groups.items()}
    return dict(sorted(costs.items(), key=lambda item: _rank(item[1]), reverse=True))


def in_words(cost: Cost) -> str:
    """Return a cost as people read it: `$4.20`, `at least $4.20`, or `unknown`."""
    if cost.usd is None:
        return "unknown" if cost.unknown else "nothing"
    price = f"${cost.usd:,.2f}"
    return f"at least {price}" if cost.unknown else price


def _rank(cost: Cost) -> tuple[float, int, int]:
    return cost.usd or 0.0, cost.unknown, cost.tokens or 0
