"""What is settled before a launch touches anything: the client, its program, the delivery, what it may see."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mission.domain.errors import InvalidInput, InvalidState
from mission.domain.executions.signals import Delivery
from mission.runtime.adapters.launch_adapter import LaunchAdapter
from mission.runtime.client_setup import connect
from mission.services.launcher import LaunchRequest


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """A launch that can be made."""

    launch: LaunchAdapter
    program: str
    arguments: Sequence[str]
    delivery: Delivery
    environment: Mapping[str, str]

    @property
    def speaks_mcp(self) -> bool:
        """Whether the client can use our tools, however it signals; of any program that is not known."""
        is_client = bool(self.launch.program) and Delivery.MCP_TOOL in self.launch.capabilities.supported
        return is_client or self.delivery is Delivery.MCP_TOOL


def choose(launches: Mapping[str, LaunchAdapter], order: LaunchRequest, environment: Mapping[str, str]) -> Choice:
    """The choice, or an error that says what cannot be had; nothing is exchanged for something else."""
    launch = launches.get(order.adapter)
    if launch is None:
        raise InvalidInput(
            f"adapter: there is no '{order.adapter[:60]}'",
            hint=f"Use one of: {', '.join(sorted(launches))}.",
            field="adapter",
        )
    delivery = _delivery(launch, order)
    seen = launch.environment(environment)
    program, arguments = _program(launch, order, seen)
    return Choice(launch=launch, program=program, arguments=arguments, delivery=delivery, environment=seen)


def _delivery(launch: LaunchAdapter, order: LaunchRequest) -> Delivery:
    """The delivery of this launch: the one asked for if the client can do it, never another instead."""
    if order.interactive and not launch.interactive:
        raise InvalidInput(f"interactive: {launch.title} is launched without a terminal", field="interactive")
    chosen = order.delivery or launch.capabilities.preferred
    if chosen not in launch.capabilities.supported:
        raise InvalidInput(
            f"delivery: {launch.title} does not support {chosen}",
            hint=f"It supports: {', '.join(launch.capabilities.supported)}.",
            field="delivery",
        )
    if order.interactive and launch.read is not None and chosen is Delivery.STDOUT_MARKER:
        raise InvalidInput(
            "delivery: markers cannot be read from this client's terminal",
            hint="Use mcp-tool, or launch it without --interactive.",
            field="delivery",
        )
    return chosen


def _program(launch: LaunchAdapter, order: LaunchRequest, environment: Mapping[str, str]) -> tuple[str, Sequence[str]]:
    """The program's path and its further arguments."""
    wanted, arguments = (launch.program, order.arguments) if launch.program else ("", order.arguments)
    if not launch.program:
        if not order.arguments:
            raise InvalidInput(
                "arguments: the adapter 'command' needs a program", hint="Give it after '--'.", field="arguments"
            )
        wanted, arguments = order.arguments[0], order.arguments[1:]
        if "/" in wanted and not Path(wanted).is_absolute() and order.directory is not None:
            wanted = str(Path(order.directory) / wanted)
    found = shutil.which(wanted, path=environment.get("PATH", os.defpath))
    if found is None and "/" in wanted:
        raise InvalidState(
            f"there is no program '{wanted[:200]}' that you may run",
            hint="Check its path, which counts from the folder you launch in, and that it is executable.",
            program=wanted[:200],
        )
    if found is None:
        raise InvalidState(
            f"the program '{wanted[:200]}' is not installed, or not on PATH",
            hint="'mission adapters' shows what is installed.",
            program=wanted[:200],
        )
    return found, arguments


def described(launch: LaunchAdapter) -> dict[str, Any]:
    installed = connect.find_program(launch) if launch.program else None
    return {
        "name": launch.name,
        "title": launch.title,
        "installed": installed is not None or not launch.program,
        "path": installed.path if installed else None,
        "version": installed.version if installed else None,
        "interactive": launch.interactive,
        "resumes": launch.resumes,
        "capabilities": launch.capabilities.as_dict(),
    }
