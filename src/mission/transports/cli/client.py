"""How commands reach the daemon: it is started when none runs, and called like any other program would."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any
from urllib.parse import quote_from_bytes

import click

from mission.settings import load_or_default
from mission.transports import daemon


def call(
    name: str, arguments: dict[str, Any], *, agent: str | None = None, start: bool = True, timeout: float = 600.0
) -> dict[str, Any]:
    """A tool's result, through the road every call takes; without `start` a daemon that is down stays so."""
    settings = load_or_default()
    running = daemon.ensure(settings, report=_tell_person) if start else daemon.find(settings)
    if running is None:
        raise daemon.DaemonUnavailable("Mission Control is not running.", hint="Start it with 'mission up'.")
    headers = {"Mission-Transport": "cli", "Mission-Directory": quote_from_bytes(bytes(Path.cwd()))}
    if agent is not None:
        headers["Mission-Agent"] = agent
    return daemon.call_tool(running, name, arguments, headers=headers, timeout=timeout)


def _tell_person(text: str) -> None:
    """What happens meanwhile; a program reads nothing but errors on stderr."""
    if sys.stderr.isatty():
        click.echo(text, err=True)
