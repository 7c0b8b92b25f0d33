"""How commands reach the daemon: it is started when none runs, and called like any other program would."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any
from urllib.parse import quote_from_bytes

import click

from mission.domain.errors import PermissionDenied
from mission.settings import load_or_default
from mission.transports.bridge import daemon_process as daemon


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


def call_if_allowed(name: str, arguments: dict[str, Any]) -> dict[str, Any] | None:
    """Return a tool's result; None when the caller may not call it, as a worker what only people see."""
    try:
        return call(name, arguments)
    except daemon.ToolFailed as failed:
        if failed.error["code"] != PermissionDenied.code:
            raise
    return None


def call_every_page(
    name: str, arguments: dict[str, Any], *, rows: str, limit: int, timeout: float = 600.0
) -> dict[str, Any]:
    """Return a list tool's answer with the rows of all its pages; `limit` is how many a page has."""
    found = call(name, {**arguments, "limit": limit}, timeout=timeout)
    answer, listed = found, list(found[rows])
    while (more := _next_page(answer, seen=len(listed))) is not None and answer[rows]:
        answer = call(name, {**arguments, "limit": limit, **more}, timeout=timeout)
        listed += answer[rows]
    ends: dict[str, Any] = {field: None for field in ("next_cursor", "nextCursor") if field in answer}
    return {**found, rows: listed, **ends}


def _next_page(answer: dict[str, Any], *, seen: int) -> dict[str, Any] | None:
    """Return what asks for the next page; None at the end."""
    if "total" in answer:
        return {"offset": seen} if seen < answer["total"] else None
    cursor = answer.get("next_cursor", answer.get("nextCursor"))
    return None if cursor is None else {"cursor": cursor}


def _tell_person(text: str) -> None:
    """What happens meanwhile; a program reads nothing but errors on stderr."""
    if sys.stderr.isatty():
        click.echo(text, err=True)
