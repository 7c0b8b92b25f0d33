"""Calls from commands to the daemon, which is started if it is not running."""

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
    """Return a tool's result through the call pipeline; without `start`, raise if the daemon is down."""
    settings = load_or_default()
    running = daemon.ensure(settings, report=_show_progress) if start else daemon.find(settings)
    if running is None:
        raise daemon.DaemonUnavailable("Mission Control is not running.", hint="Start it with 'mission up'.")
    headers = {"Mission-Transport": "cli", "Mission-Directory": quote_from_bytes(bytes(Path.cwd()))}
    if agent is not None:
        headers["Mission-Agent"] = agent
    return daemon.call_tool(running, name, arguments, headers=headers, timeout=timeout)


def call_if_allowed(name: str, arguments: dict[str, Any]) -> dict[str, Any] | None:
    """Return a tool's result; None if the caller may not call it, such as a worker an operator's tool."""
    try:
        return call(name, arguments)
    except daemon.ToolFailed as failed:
        if failed.error["code"] != PermissionDenied.code:
            raise
    return None


def call_every_page(
    name: str, arguments: dict[str, Any], *, rows: str, limit: int, timeout: float = 600.0
) -> dict[str, Any]:
    """Return a list tool's result with the rows of all pages; `limit` is the page size."""
    found = call(name, {**arguments, "limit": limit}, timeout=timeout)
    answer, listed = found, list(found[rows])
    while (more := _next_page(answer, seen=len(listed))) is not None and answer[rows]:
        answer = call(name, {**arguments, "limit": limit, **more}, timeout=timeout)
        listed += answer[rows]
    ends: dict[str, Any] = {field: None for field in ("next_cursor", "nextCursor") if field in answer}
    return {**found, rows: listed, **ends}


def _next_page(answer: dict[str, Any], *, seen: int) -> dict[str, Any] | None:
    """Return the arguments for the next page; None at the end."""
    if "total" in answer:
        return {"offset": seen} if seen < answer["total"] else None
    cursor = answer.get("next_cursor", answer.get("nextCursor"))
    return None if cursor is None else {"cursor": cursor}


def _show_progress(text: str) -> None:
    """Print progress on stderr for a person; programs read only errors there."""
    if sys.stderr.isatty():
        click.echo(text, err=True)
