"""Chooses the client, program, delivery and environment of a launch before anything is changed."""

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
    """A launch that is possible."""

    launch: LaunchAdapter
    program: str
    arguments: Sequence[str]
    delivery: Delivery
    environment: Mapping[str, str]

    @property
    def speaks_mcp(self) -> bool:
        """Return whether the client can use our tools, regardless of how it signals; unknown for other programs."""
        is_client = bool(self.launch.program) and Delivery.MCP_TOOL in self.launch.capabilities.supported
        return is_client or self.delivery is Delivery.MCP_TOOL


def choose(launches: Mapping[str, LaunchAdapter], order: LaunchRequest, environment: Mapping[str, str]) -> Choice:
    """Return the choice, or raise an error that names what is not available; nothing is substituted."""
    launch = launches.get(order.adapter)
    if launch is None:
        raise InvalidInput(
            f"adapter: unknown adapter '{order.adapter[:60]}'",
            hint=f"Use one of: {', '.join(sorted(launches))}.",
            field="adapter",
        )
    delivery = _delivery(launch, order)
    seen = launch.environment(environment)
    program, arguments = _program(launch, order, seen)
    return Choice(launch=launch, program=program, arguments=arguments, delivery=delivery, environment=seen)


def _delivery(launch: LaunchAdapter, order: LaunchRequest) -> Delivery:
    """Return the delivery of this launch: the requested one if the client supports it, never another."""
    if order.interactive and not launch.interactive:
        raise InvalidInput(f"interactive: {launch.title} cannot run in a terminal", field="interactive")
    chosen = order.delivery or launch.capabilities.preferred
    if chosen not in launch.capabilities.supported:
        raise InvalidInput(
            f"delivery: {launch.title} does not support {chosen}",
            hint=f"It supports: {', '.join(launch.capabilities.supported)}.",
            field="delivery",
        )
    if order.interactive and launch.read is not None and chosen is Delivery.STDOUT_MARKER:
        raise InvalidInput(
            "delivery: this client does not support markers in a terminal",
            hint="Use mcp-tool, or launch without --interactive.",
            field="delivery",
        )
    return chosen


def _program(launch: LaunchAdapter, order: LaunchRequest, environment: Mapping[str, str]) -> tuple[str, Sequence[str]]:
    """Return the program's path and its arguments."""
    wanted, arguments = (launch.program, order.arguments) if launch.program else ("", order.arguments)
    if not launch.program:
        if not order.arguments:
            raise InvalidInput(
                "arguments: the adapter 'command' requires a program", hint="Add it after '--'.", field="arguments"
            )
        wanted, arguments = order.arguments[0], order.arguments[1:]
        if "/" in wanted and not Path(wanted).is_absolute() and order.directory is not None:
            wanted = str(Path(order.directory) / wanted)
    found = shutil.which(wanted, path=environment.get("PATH", os.defpath))
    if found is None and "/" in wanted:
        raise InvalidState(
            f"'{wanted[:200]}' does not exist or is not executable",
            hint="Check its permissions and its path, which is relative to the folder you launch from.",
            program=wanted[:200],
        )
    if found is None:
        raise InvalidState(
            f"the program '{wanted[:200]}' is not installed or not on PATH",
            hint="Run 'mission adapters' to see what is installed.",
            program=wanted[:200],
        )
    return found, arguments


def missing_program(launch: LaunchAdapter, program: str | None = None, *, path: str | None = None) -> str | None:
    """Return that a client's program is not there, in words; None if it is, or if only a launch can tell."""
    wanted = launch.program or program
    if not wanted or shutil.which(wanted, path=path or os.environ.get("PATH", os.defpath)) is not None:
        return None
    if "/" in wanted and not Path(wanted).is_absolute():
        return None
    problem = "does not exist or is not executable" if "/" in wanted else "is not installed or not on PATH"
    return f"the program '{wanted[:200]}' {problem}"


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
