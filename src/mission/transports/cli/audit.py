"""`mission audit`."""

from __future__ import annotations

import json
import time
from datetime import timedelta
from typing import Any

import click

from mission.domain.times import shown, utc_now
from mission.transports.cli import client
from mission.transports.cli.output import json_option, show_json, speaks
from mission.transports.daemon import DaemonUnavailable


@click.command()
@click.option("--agent", help="Only calls of this agent (id).")
@click.option("--tool", help="Only calls of this tool.")
@click.option("--status", type=click.Choice(["ok", "error", "denied"]), help="Only calls that ended so.")
@click.option("--since", help="Only calls after this time (ISO, Unix, or ago: 90s, 10m, 2h, 1d).")
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
    wanted: dict[str, Any] = {
        "agent_id": agent,
        "tool": tool,
        "status": status,
        "since": _moment(since),
        "limit": limit,
    }
    found = client.call("audit_list", wanted)
    if as_json and not follow:
        show_json(found)
        return
    entries = found["entries"]
    seen: set[str] = set()
    while True:
        for entry in reversed(entries):
            if entry["id"] not in seen and not (follow and entry["tool"] == "audit_list"):
                click.echo(json.dumps(entry, ensure_ascii=False) if as_json else _line(entry))
            seen.add(entry["id"])
        if not follow:
            return
        time.sleep(0.5)
        if entries:
            wanted["since"] = entries[0]["at"]
        try:
            entries = client.call("audit_list", wanted, start=False)["entries"]
        except DaemonUnavailable:
            entries = []  # it may come back; whoever only watches does not start it


def _moment(since: str | None) -> str | None:
    """A time, or how long ago: 90s, 10m, 2h, 1d."""
    units = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
    if since and since[-1] in units and since[:-1].isdigit():
        return shown(utc_now() - timedelta(**{units[since[-1]]: int(since[:-1])}))
    return since


def _line(entry: dict[str, Any]) -> str:
    what = entry["error"]["code"] if entry["error"] else entry["task_id"] or entry["mission_id"] or ""
    who = entry["arguments"].get("agent_name") or entry["caller"]
    return f"{entry['at'][:23]}Z  {entry['status']:<6}  {who:<20} {entry['tool']:<20} {what}"
