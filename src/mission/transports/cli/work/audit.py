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
from mission.transports.cli.short_id import AGENT_ID, AUDIT_ID
from mission.transports.cli.tables import show_table
from mission.transports.cli.times import clock

LOOK_SECONDS = 0.5
MAX_PAUSE = 3.0
"""Maximum seconds between polls: each poll is audited itself, so --follow slows down while nothing happens."""
OVERLAP = timedelta(seconds=15)
"""Overlap of the polls of --follow: an entry has the time its call started, and appears when it ended."""
READS_LEFT_OUT = "Calls that only read are left out. --all includes them."


@click.command()
@click.argument("entry_id", type=AUDIT_ID, metavar="[ID]", required=False)
@click.option("--agent", type=AGENT_ID, metavar="AGENT", help="Only calls from this agent (id or name).")
@click.option("--tool", help="Only calls to this tool, or a pattern such as 'mcp__mail__*'.")
@click.option("--status", type=click.Choice(["ok", "error", "denied", "invoked"]), help="Only calls with this status.")
@click.option("--since", help="Only calls after this time: a time, or an age such as 90s, 10m, 2h, 1d.")
@click.option("--all", "everything", is_flag=True, help="Include calls that only read.")
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1, 500), help="How many to show.")
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
    everything: bool,
    limit: int,
    as_log: bool,
    follow: bool,
    as_json: bool,
) -> None:
    """Show calls with their callers and results, newest last. With an ID, such as that of an incident, show that call.

    Calls that only read are left out unless they failed, or you ask for them with --all, --tool, --log or --json.
    """
    if entry_id is not None:
        found = client.call("audit_get", {"id": entry_id})
        show_json(found) if as_json else say(_log(found))
        return
    wanted: dict[str, Any] = {
        "agent_id": agent,
        "tool": tool,
        "status": status,
        "since": _moment(since),
        "reads": everything or as_json or as_log or tool is not None,
        "names": True,
        "limit": limit,
        "lines": as_log,
    }
    found = client.call("audit_list", wanted)
    if follow:
        _follow(wanted, found["entries"], as_json=as_json, as_log=as_log)
    elif as_json:
        show_json(found)
    else:
        _show(found, as_log=as_log, with_reads=wanted["reads"])


def _show(found: dict[str, Any], *, as_log: bool, with_reads: bool) -> None:
    entries = found["entries"][::-1]
    if as_log:
        for entry in entries:
            say(_log(entry))
    else:
        rows = [_cells(entry) for entry in entries]
        show_table(["TIME", "STATUS", "CALLER", "TOOL", "TARGET"], rows, empty="No matching calls.", drop=["STATUS"])
    if found["next_cursor"] is not None:
        say(f"Only the newest {len(entries)} are shown. Use --limit for more.")
    if not with_reads:
        say(READS_LEFT_OUT, dim=True)


def _follow(wanted: dict[str, Any], entries: list[dict[str, Any]], *, as_json: bool, as_log: bool) -> None:
    show = json.dumps if as_json else _log if as_log else _line
    seen: set[tuple[str, str]] = set()
    pause = LOOK_SECONDS
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
    return "\n".join(f"{_log_head(entry, line)}\n    {line['reasoning']}{_context(line)}" for line in entry["lines"])


def _log_head(entry: dict[str, Any], line: dict[str, Any]) -> str:
    return f"{clock(line['at'], seconds=True)}  {_caller(entry)}  {line['decision']}"


def _context(line: dict[str, Any]) -> str:
    """Return the details of a line, with a traceback printed readably at the end."""
    if line["context"] is None:
        return ""
    context = dict(line["context"])
    trace = context.pop("stack", None) if "code" in context else None
    return f"\n    {json.dumps(context, ensure_ascii=False)}" + (f"\n{indent(trace.strip(), '    ')}" if trace else "")


def _cells(entry: dict[str, Any]) -> tuple[str, str, str, str, str]:
    return clock(entry["at"], seconds=True), entry["status"], _caller(entry), entry["tool"], _target(entry)


def _line(entry: dict[str, Any]) -> str:
    at, status, caller, tool, target = _cells(entry)
    return f"{at}  {status:<7}  {caller:<16}  {tool:<24}  {target}".rstrip()


def _caller(entry: dict[str, Any]) -> str:
    """Return who called: an agent by its name, everybody else by what the call says."""
    return str(entry.get("agent_name") or entry["arguments"].get("agent_name") or entry["caller"])


def _target(entry: dict[str, Any]) -> str:
    """Return what the call was about, and why it failed."""
    about = next((_named(entry, kind) for kind in ("task", "mission") if entry[f"{kind}_id"]), "")
    return " · ".join(filter(None, (about, entry["error"]["code"] if entry["error"] else "")))


def _named(entry: dict[str, Any], kind: str) -> str:
    name = entry.get(f"{kind}_name")
    return f"{entry[f'{kind}_id']} {name}" if name else str(entry[f"{kind}_id"])
