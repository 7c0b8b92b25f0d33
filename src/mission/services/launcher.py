"""The port through which agents are launched and steered; the daemon's runtime stands behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol, TypeVar

from mission.domain.executions.execution import Execution
from mission.domain.executions.signals import Delivery
from mission.services.work import Work

Answer = TypeVar("Answer")


@dataclass(frozen=True, kw_only=True, slots=True)
class LaunchRequest:
    """What an operator wants to launch."""

    task_id: str
    adapter: str
    delivery: Delivery | None = None
    """Nothing: what the adapter prefers."""
    interactive: bool = False
    arguments: Sequence[str] = ()
    """For the adapter `command` the program and its arguments, otherwise more arguments of the client."""
    agent_name: str | None = None
    repository_path: str | None = None
    directory: str | None = None
    seconds: float | None = None
    """After which time the program is stopped."""
    handover: str | None = None
    """Names a file under MISSION_HOME with variables for the program, which is read once and removed."""
    resumes: str | None = None
    answer: str | None = None
    """A person's answer to the question with which the resumed execution ended."""
    fresh: bool = False
    """Whether the resumed execution failed: its agent begins anew, not in its client's old session."""
    hint: str | None = None
    """What a person told the agent after its last attempt failed."""
    command_id: str | None = None
    """The command that asks for the launch, if one does."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LaunchPreview:
    """What a launch would do."""

    argv: Sequence[str]
    prompt: str
    delivery: Delivery
    directory: str | None
    variables: Sequence[str]
    """Names of what the program would see of the environment."""


class Launcher(Protocol):
    """Launches agents and holds their processes."""

    async def launch(self, work: Work, order: LaunchRequest, *, answer: Callable[[Execution], Answer]) -> Answer:
        """Claim and start the task, start the program, and answer once it runs."""
        ...

    async def rehearse(self, work: Work, order: LaunchRequest) -> LaunchPreview:
        """What `launch` would do, without doing it."""
        ...

    async def stop(self, execution_id: str) -> Execution:
        """Ask the program to end, kill what does not, and answer when it is gone and recorded."""
        ...

    async def forget(self, execution_ids: Sequence[str]) -> None:
        """Remove what ended executions showed."""
        ...

    def clients(self) -> Sequence[str]:
        """Names of the clients that can be launched."""
        ...

    def shown_at(self, execution_id: str) -> datetime | None:
        """When a running program last showed anything; nothing for one that ended or runs elsewhere."""
        ...

    async def adapters(self) -> Sequence[Mapping[str, Any]]:
        """Each launchable client: whether it is installed, its version, and what it can do."""
        ...
