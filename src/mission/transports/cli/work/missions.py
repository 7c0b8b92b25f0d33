"""`mission missions`, `archive`, `delete`."""

from __future__ import annotations

import sys
from typing import Any

import click

from mission.domain.missions.mission import MissionStatus
from mission.transports.cli import daemon_client as client
from mission.transports.cli.check_words import counts_words
from mission.transports.cli.names import names_of, with_name
from mission.transports.cli.output import json_option, report_errors, say, show_json
from mission.transports.cli.short_id import MISSION_ID
from mission.transports.cli.tables import show_table
from mission.transports.cli.times import ago


@click.command()
@click.option(
    "--status", multiple=True, type=click.Choice([str(each) for each in MissionStatus]), help="Filter by status."
)
@click.option("--archived", is_flag=True, help="Only archived missions.")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1, 200), help="How many to show.")
@click.option("--offset", default=0, type=click.IntRange(min=0), help="How many to skip.")
@json_option
@report_errors
def missions(status: tuple[str, ...], archived: bool, limit: int, offset: int, as_json: bool) -> None:
    """List missions, most recently active first."""
    arguments: dict[str, Any] = {"archived": archived, "limit": limit, "offset": offset}
    if status:
        arguments["status"] = list(status)
    found = client.call("workflow_list", arguments)
    if as_json:
        show_json(found)
        return
    rows = [
        (
            row["id"],
            row["name"],
            row["status"].replace("_", " "),
            f"{row['tasks_completed']} of {row['tasks_total']}",
            ago(row["updated_at"]),
            counts_words(row["evidence"]),
        )
        for row in found["workflows"]
    ]
    show_table(
        ["ID", "NAME", "STATUS", "TASKS", "ACTIVE", "EVIDENCE"],
        rows,
        drop=["EVIDENCE", "ACTIVE"],
        empty="No matching missions." if status or archived else "No missions yet.",
    )
    more = found["total"] - offset - len(rows)
    if rows and more > 0:
        say(f"… {more} more; use --offset {offset + len(rows)}")


@click.command()
@click.argument("mission_id", type=MISSION_ID, metavar="MISSION")
@click.option("--undo", is_flag=True, help="Restore it.")
@json_option
@report_errors
def archive(mission_id: str, undo: bool, as_json: bool) -> None:
    """Archive an ended mission: hide it from lists without deleting anything."""
    done = client.call("mission_archive", {"mission_id": mission_id, "archived": not undo})
    if as_json:
        show_json(done)
    else:
        say(f"{_named(mission_id)} is {'restored' if undo else 'archived'}.")


@click.command()
@click.argument("mission_id", type=MISSION_ID, metavar="MISSION")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@json_option
@report_errors
def delete(mission_id: str, yes: bool, as_json: bool) -> None:
    """Permanently delete an ended mission with its phases, tasks and journal."""
    if not yes:
        if as_json or not sys.stdin.isatty():
            raise click.UsageError("Deleting cannot be undone. Add --yes to confirm.")
        click.confirm(f"Permanently delete {_named(mission_id)}?", abort=True)
    done = client.call("mission_delete", {"mission_id": mission_id})
    show_json(done) if as_json else say(f"'{done['name']}' is deleted.")


def _named(mission_id: str) -> str:
    return with_name(mission_id, names_of([mission_id]))
