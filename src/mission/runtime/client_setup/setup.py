"""The steps of a setup that the command line and the page share: describe clients, apply changes, and try them."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mission.domain.errors import InvalidInput, InvalidState, MissionError
from mission.runtime.adapters.config_adapter import Adapter, Command, ConfigLocation, ConfigScope, discover
from mission.runtime.client_setup import connect, probe
from mission.runtime.config_files.file_changes import Backups, Change
from mission.spelling import nearest


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannedSetup:
    """A client and the changes that connect it."""

    adapter: Adapter
    changes: Sequence[Change]


def find_client(name: str) -> Adapter:
    """Return the client of that name; raise InvalidInput with the closest name if there is none."""
    adapters = discover()
    if name in adapters:
        return adapters[name]
    by_program = {adapter.program: each for each, adapter in adapters.items()}
    meant = by_program.get(name) or nearest(name.lower(), adapters)
    raise InvalidInput(
        f"There is no client '{name}'" + (f"; did you mean '{meant}'?" if meant else ""),
        hint=f"Known clients: {', '.join(adapters)}.",
    )


def describe_clients(place: ConfigLocation) -> list[dict[str, Any]]:
    """Return every client: its program and version, and whether it is connected in each scope."""
    with ThreadPoolExecutor() as pool:
        return list(pool.map(lambda adapter: _described(adapter, place), discover().values()))


def _described(adapter: Adapter, place: ConfigLocation) -> dict[str, Any]:
    program = connect.find_program(adapter)
    return {
        "client": adapter.name,
        "title": adapter.title,
        "program": program.path if program else None,
        "version": program.version if program else None,
        "scopes": {scope.value: _state(adapter, place, scope) for scope in ConfigScope},
    }


def _state(adapter: Adapter, place: ConfigLocation, scope: ConfigScope) -> dict[str, Any]:
    try:
        found = connect.get_connection(adapter, place, scope)
    except MissionError as error:
        return {"set_up": False, "hooks": False, "problem": error.message}
    return {"set_up": found.is_set_up, "hooks": bool(found.hooks), "file": str(found.file), "problem": None}


def serve_command(command: Command, *, toolsets: str = "") -> Command:
    """Return the command that serves the tools to a client."""
    return command.with_arguments("mcp", *(["--toolsets", toolsets] if toolsets else []))


def apply_all(plans: Sequence[PlannedSetup], backups: Backups) -> list[Sequence[Path]]:
    """Write all changes, or none of them; return the folders that were created for each client."""
    made: list[Sequence[Path]] = []
    try:
        for plan in plans:
            made.append(connect.apply(plan.adapter, plan.changes, backups))
    except BaseException:
        take_all_back(plans, made, backups)
        raise
    return made


def take_all_back(plans: Sequence[PlannedSetup], made: Sequence[Sequence[Path]], backups: Backups) -> None:
    """Undo what `apply_all` did."""
    for plan, folders in reversed(list(zip(plans, made, strict=False))):
        connect.take_back(plan.adapter, plan.changes, folders, backups)


async def try_server(serve: Command, *, directory: Path) -> list[str]:
    """Start the server once, as a client would; return its tools or raise an error that says why it has none."""
    tools = await probe.list_tools(serve, directory=directory)
    if not tools:
        raise InvalidState("The server runs but lists no tools.", hint="Check --toolsets; 'mission tools' lists all.")
    return tools
