"""`mission audit`."""

from __future__ import annotations

import json
import time
from datetime import datetime, timedelta
from textwrap import indent
from typing import Any

import click

from mission.domain.timestamps import format_time, utc_now
from mission.transports.bridge.daemon_process import DaemonUnavailable
from mission.transports.cli import daemon_client as client
from mission.transports.cli.output import json_option, report_errors, say, show_json

LOOK_SECONDS = 0.5
MAX_PAUSE = 3.0
"""Maximum seconds between polls: each poll is audited itself, so --follow slows down while nothing happens."""
OVERLAP = timedelta(seconds=15)
"""Overlap of the polls of --follow: an entry has the time its call started, and appears when it ended."""


@click.command()
@click.argument("entry_id", metavar="[ID]", required=False)
@click.option("--agent", help="Only calls from this agent (id or name).")
@click.option("--tool", help="Only calls to this tool, or a pattern such as 'mcp__mail__*'.")
@click.option("--status", type=click.Choice(["ok", "error", "denied", "invoked"]), help="Only calls with this status.")
@click.option("--since", help="Only calls after this time: a time, or an age such as 90s, 10m, 2h, 1d.")
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1, 500))
@click.option("--log", "as_log", is_flag=True, help="Print a decision log: invocation, result or error, with details.")
@click.option("--follow", "-f", is_flag=True, help="Keep printing new calls.")
@json_option
@report_errors
def audit(
    entry_id: str | None,
    agent: str | None,
    tool: str | None,
    status: str | None,
    since: str | None,
    limit: int,
    as_log: bool,
    follow: bool,
    as_json: bool,
) -> None:
    """Show calls with their callers and results, newest last; with an ID, such as that of an incident, only that
    call."""
    if entry_id is not None:
        found = client.call("audit_get", {"id": entry_id})
        show_json(found) if as_json else say(_log(found))
        return
    wanted: dict[str, Any] = {
        "agent_id": agent,
        "tool": tool,
        "status": status,
        "since": _moment(since),
        "limit": limit,
        "lines": as_log,
    }
    found = client.call("audit_list", wanted)
    if as_json and not follow:
        show_json(found)
        return
    show = json.dumps if as_json else _log if as_log else _line
    if not follow:
        for entry in reversed(found["entries"]):
            say(show(entry))
        if found["next_cursor"] is not None:
            say(f"Only the newest {len(found['entries'])} are shown; use --limit for more.")
        return
    seen: set[tuple[str, str]] = set()
    entries, pause = found["entries"], LOOK_SECONDS
    while True:
        pause = min(pause * 1.5, MAX_PAUSE)
        for entry in reversed(entries):
            key = (entry["id"], entry["status"])
            if key not in seen and entry["tool"] != "audit_list":
                say(show(entry))
                pause = LOOK_SECONDS
            seen.add(key)
        time.sleep(pause)
        entries = _new_entries(wanted, entries)


def _new_entries(wanted: dict[str, Any], last: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return all entries since shortly before the last poll, newest first."""
    if last:
        wanted["since"] = format_time(datetime.fromisoformat(last[0]["at"]) - OVERLAP)
    found: list[dict[str, Any]] = []
    cursor: str | None = None
    while True:
        try:
            page = client.call("audit_list", {**wanted, "limit": 500, "cursor": cursor}, start=False)
        except DaemonUnavailable:
            return last[:1]  # it may come back; watching does not start it
        found += page["entries"]
        cursor = page["next_cursor"]
        if cursor is None:
            return found


def _moment(since: str | None) -> str | None:
    """Return the time that a text gives: a time, or an age such as 90s, 10m, 2h, 1d."""
    units = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
    if since and since[-1] in units and since[:-1].isdigit():
        return format_time(utc_now() - timedelta(**{units[since[-1]]: int(since[:-1])}))
    return since


def _log(entry: dict[str, Any]) -> str:
    """Return the entry as lines of a decision log."""
    return "\n".join(
        f"{line['at'][:23]}Z  {entry['caller']:<12}  {line['decision']}\n    {line['reasoning']}{_context(line)}"
        for line in entry["lines"]
    )


def _context(line: dict[str, Any]) -> str:
    """Return the details of a line, with a traceback printed readably at the end."""
    if line["context"] is None:
        return ""
    context = dict(line["context"])
    trace = context.pop("stack", None) if "code" in context else None
    return f"\n    {json.dumps(context, ensure_ascii=False)}" + (f"\n{indent(trace.strip(), '    ')}" if trace else "")


def _line(entry: dict[str, Any]) -> str:
    what = entry["error"]["code"] if entry["error"] else entry["task_id"] or entry["mission_id"] or ""
    who = entry["arguments"].get("agent_name") or entry["caller"]
    return f"{entry['at'][:23]}Z  {entry['status']:<6}  {who:<20} {entry['tool']:<20} {what}"
