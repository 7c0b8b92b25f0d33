"""`mission audit`."""

from __future__ import annotations

import time
from typing import Any

import click

from mission.transports.cli import client
from mission.transports.cli.output import json_option, show_json, speaks


@click.command()
@click.option("--agent", help="Only calls of this agent (id).")
@click.option("--tool", help="Only calls of this tool.")
@click.option("--status", type=click.Choice(["ok", "error", "denied"]), help="Only calls that ended so.")
@click.option("--since", help="Only calls after this time (ISO or Unix).")
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1, 500))
@click.option("--follow", "-f", is_flag=True, help="Go on as new calls come.")
@json_option
@speaks
def audit(
    agent: str | None,
    tool: str | None,
    status: str | None,
    since: str | None,
    limit: int,
    follow: bool,
    as_json: bool,
) -> None:
    """Show what was called, by whom, with what result; the newest last."""
    wanted: dict[str, Any] = {"agent_id": agent, "tool": tool, "status": status, "since": since, "limit": limit}
    found = client.call("audit_list", wanted)
    if as_json and not follow:
        show_json(found)
        return
    seen: set[str] = set()
    entries = found["entries"]
    while True:
        for entry in reversed(entries):
            if entry["id"] not in seen and not (follow and entry["tool"] == "audit_list"):
                show_json(entry) if as_json else click.echo(_line(entry))
            seen.add(entry["id"])
        if not follow:
            return
        time.sleep(0.5)
        entries = client.call("audit_list", {**wanted, "since": entries[0]["at"] if entries else since})["entries"]


def _line(entry: dict[str, Any]) -> str:
    what = entry["error"]["code"] if entry["error"] else entry["task_id"] or entry["mission_id"] or ""
    return f"{entry['at'][:23]}Z  {entry['status']:<6}  {entry['caller']:<13} {entry['tool']:<20} {what}"
