"""The port through which agents are launched and controlled; the daemon's runtime implements it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from mission.domain.executions.execution import Execution
from mission.domain.executions.signals import Delivery
from mission.services.work import Work


@dataclass(frozen=True, kw_only=True, slots=True)
class LaunchRequest:
    """The launch that an operator requests."""

    task_id: str
    adapter: str
    delivery: Delivery | None = None
    """None: the adapter's preference."""
    interactive: bool = False
    arguments: Sequence[str] = ()
    """For the adapter `command` the program and its arguments, otherwise additional arguments for the client."""
    agent_name: str | None = None
    repository_path: str | None = None
    directory: str | None = None
    seconds: float | None = None
    """The time after which the program is stopped."""
    handover: str | None = None
    """Name of a file in MISSION_HOME with variables for the program, which is read once and removed."""
    resumes: str | None = None
    answer: str | None = None
    """A person's answer to the question with which the resumed execution ended."""
    fresh: bool = False
    """True if the resumed execution failed: its agent starts a new client session instead of the old one."""
    hint: str | None = None
    """A person's hint to the agent after its last attempt failed."""
    failure: str | None = None
    """What the checks of the agent's last result found."""
    command_id: str | None = None
    """The command that requests the launch, if any."""
    run_id: str | None = None
    """The run that requests it; it must still be running, with this fence."""
    run_fence: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class LaunchPreview:
    """The effects that a launch would have."""

    argv: Sequence[str]
    prompt: str
    delivery: Delivery
    directory: str | None
    variables: Sequence[str]
    """Names of the environment variables that the program would see."""


class Launcher(Protocol):
    """Launches agents and manages their processes."""

    async def launch(self, work: Work, request: LaunchRequest) -> Execution:
        """Claim and start the task, start the program, and finish the work once it runs."""
        ...

    async def preview(self, work: Work, request: LaunchRequest) -> LaunchPreview:
        """Return what `launch` would do, without doing it."""
        ...

    async def stop(self, execution_id: str, *, reason: str | None = None) -> Execution:
        """Ask the program to end, kill what does not, and return the execution once its end is recorded.

        Without a reason it was stopped by the operator.
        """
        ...

    def manages(self, execution: Execution) -> bool:
        """Return whether commands for an execution are carried out here, and not by another daemon on this host."""
        ...

    async def forget(self, execution_ids: Sequence[str]) -> None:
        """Remove the output of ended executions."""
        ...

    def clients(self) -> Sequence[str]:
        """Return the names of the clients that can be launched."""
        ...

    def shown_at(self, execution_id: str) -> datetime | None:
        """Return when a running program last had output; None if it ended or runs elsewhere."""
        ...

    def active_at(self, execution_id: str) -> datetime | None:
        """Return when a running program last showed life: output, a tool call or CPU time; None if unknown."""
        ...

    def in_tool_since(self, execution_id: str) -> datetime | None:
        """Return since when a tool call of a running program is open; None if none is, as far as that is known."""
        ...

    def problem_of(self, run_id: str, client: str, *, program: str | None) -> str | None:
        """Return why a client of a run cannot be launched on this host; None if it can, as far as that is known.

        `program` is the program of the client `command`.
        """
        ...

    def lost_variables(self, run_id: str, names: Sequence[str]) -> Sequence[str]:
        """Return which of these variables of a run's client this process no longer has."""
        ...

    def variables_of(self, client: str, *, handover: str | None) -> Sequence[str]:
        """Return the names of a client's own variables, such as its API keys: in a shell's file, or in ours."""
        ...

    def keep_variables(self, run_id: str, handover: str) -> None:
        """Keep a shell's variables for the launches of a run: in memory only. Their file is removed."""
        ...

    def forget_variables(self, run_id: str) -> None:
        """Forget the variables of a run that has ended."""
        ...

    async def adapters(self) -> Sequence[Mapping[str, Any]]:
        """Return each launchable client: whether it is installed, its version, and its features."""
        ...
