"""The options of a run: which agents, how many at once, how often they may try, and what they may spend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import Any

from mission.domain.checks.review import ReviewRule

RETRY_MINUTES = (1.0, 4.0, 16.0)
"""How long a task waits after each execution that ended without a report."""


class Overlap(StrEnum):
    """The rule for tasks with overlapping areas."""

    AVOID = "avoid"
    """Only when nothing else is ready."""
    ALLOW = "allow"


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentMix:
    """One kind of agent of a run, and how many of them may work at once."""

    client: str
    count: int = 1
    arguments: Sequence[str] = ()
    command: Sequence[str] = ()
    """The program of the client `command`."""
    capabilities: Sequence[str] = ()
    """What tasks may require of it."""
    delivery: str | None = None

    def as_dict(self) -> dict[str, Any]:
        return {
            "client": self.client,
            "count": self.count,
            "arguments": list(self.arguments),
            "command": list(self.command),
            "capabilities": list(self.capabilities),
            "delivery": self.delivery,
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> AgentMix:
        return cls(**stored)


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """Limits of what may be spent; None sets none."""

    usd: float | None = None
    tokens: int | None = None
    minutes: float | None = None
    launches: int | None = None

    def as_dict(self) -> dict[str, Any]:
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any] | None) -> Limits:
        return cls(**(stored or {}))


@dataclass(frozen=True, kw_only=True, slots=True)
class RunOptions:
    """The options that a person chooses for a run."""

    agents: Sequence[AgentMix] = ()
    review: str = ReviewRule.RISK
    max_parallel: int = 0
    """How many agents work at once; 0 leaves it to the mix and the machine."""
    overlap: Overlap = Overlap.AVOID
    attempts: int = 3
    revisions: int = 3
    retry_minutes: Sequence[float] = RETRY_MINUTES
    stall_minutes: float = 10.0
    tool_minutes: float = 60.0
    land: bool = False
    squash: bool = False
    regenerate: Mapping[str, str] = field(default_factory=dict)
    """Globs of files that a command makes again after a conflict, with that command."""
    setup: str | None = None
    setup_inputs: Sequence[str] = ()
    """Globs of files that rerun the setup when they change; empty means the known manifests and lock files."""
    budget: Limits = Limits()
    budget_per_task: Limits = Limits()
    variables: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """For each client the names of its own variables at the start, such as API keys; their values are not stored."""
    finish_only: bool = False
    """Whether only tasks that were started before are finished: the budget is spent."""

    def as_dict(self) -> dict[str, Any]:
        return {
            "agents": [each.as_dict() for each in self.agents],
            "review": str(self.review),
            "max_parallel": self.max_parallel,
            "overlap": str(self.overlap),
            "attempts": self.attempts,
            "revisions": self.revisions,
            "retry_minutes": list(self.retry_minutes),
            "stall_minutes": self.stall_minutes,
            "tool_minutes": self.tool_minutes,
            "land": self.land,
            "squash": self.squash,
            "regenerate": dict(self.regenerate),
            "setup": self.setup,
            "setup_inputs": list(self.setup_inputs),
            "budget": self.budget.as_dict(),
            "budget_per_task": self.budget_per_task.as_dict(),
            "variables": {client: list(names) for client, names in self.variables.items()},
            "finish_only": self.finish_only,
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> RunOptions:
        return cls(
            **{
                **stored,
                "agents": [AgentMix.from_dict(each) for each in stored["agents"]],
                "overlap": Overlap(stored["overlap"]),
                "budget": Limits.from_dict(stored["budget"]),
                "budget_per_task": Limits.from_dict(stored["budget_per_task"]),
            }
        )

    def changed(self, values: Mapping[str, Any]) -> RunOptions:
        """Return the options with these values."""
        return replace(self, **values)

    def retry_delay(self, attempts: int) -> float:
        """Return how many seconds a task waits after this many attempts without a report."""
        waits = self.retry_minutes or (0.0,)
        return 60.0 * waits[min(max(attempts, 1), len(waits)) - 1]
