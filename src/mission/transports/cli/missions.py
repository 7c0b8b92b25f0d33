"""`mission missions`, `show`, `archive`, `delete`."""

from __future__ import annotations

import sys
from typing import Any

import click

from mission.domain.mission import MissionStatus
from mission.transports.cli import client
from mission.transports.cli.output import ago, json_option, show_json, show_table, speaks

SECTIONS = ["phase_summary", "tasks", "decisions", "milestones", "blockers"]


@click.command()
@click.option("--status", multiple=True, type=click.Choice([str(each) for each in MissionStatus]), help="Only these.")
@click.option("--archived", is_flag=True, help="Only archived ones.")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1, 200))
@click.option("--offset", default=0, type=click.IntRange(min=0))
@json_option
@speaks
def missions(status: tuple[str, ...], archived: bool, limit: int, offset: int, as_json: bool) -> None:
    """List missions, the most recently active first."""
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
            row["status"],
            f"{row['tasks_completed']}/{row['tasks_total']}",
            ago(row["updated_at"]),
        )
        for row in found["workflows"]
    ]
    show_table(
        ["ID", "NAME", "STATUS", "TASKS", "ACTIVE"],
        rows,
        empty="No mission matches." if status or archived else "No missions yet.",
    )
    more = found["total"] - offset - len(rows)
    if rows and more > 0:
        click.echo(f"… {more} more: --offset {offset + len(rows)}")


@click.command()
@click.argument("mission_id")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1, 200), help="Rows per section.")
@json_option
@speaks
def show(mission_id: str, limit: int, as_json: bool) -> None:
    """Show one mission: phases, tasks, decisions, blockers."""
    found = client.call("get_context", {"mission_id": mission_id, "include": SECTIONS, "limit": limit})
    if as_json:
        show_json(found)
        return
    click.secho(found["mission_name"], bold=True)
    click.echo(f"{found['mission_id']} · {found['mission_status']} · phase {found['current_phase']}"
               f" of {found['total_phases']}")  # fmt: skip
    for row in found["phase_summary"]:
        tasks = row["tasks"]
        click.echo(f"  {row['number']}. {row['name']}: {row['status']}, {tasks['completed']}/{tasks['total']} tasks")
    click.echo()
    rows = [
        (row["id"], row["name"], row["status"], row["agent_name"] or row["agent_id"], row["files_changed"])
        for row in found["tasks"]
    ]
    show_table(["TASK", "NAME", "STATUS", "AGENT", "FILES"], rows, empty="No tasks yet.")
    for row in found["decisions"]:
        click.echo(f"  decided: {row['question']} → {row['chosen']}")
    for row in found["blockers"]:
        click.secho(f"  waiting for a person: {row['description']} ({row['task_id']})", fg="yellow")


@click.command()
@click.argument("mission_id")
@click.option("--undo", is_flag=True, help="Bring it back.")
@json_option
@speaks
def archive(mission_id: str, undo: bool, as_json: bool) -> None:
    """Take an ended mission out of the lists; nothing of it is lost."""
    done = client.call("mission_archive", {"mission_id": mission_id, "archived": not undo})
    if as_json:
        show_json(done)
    else:
        click.echo(f"{mission_id} is {'back' if undo else 'archived'}.")


@click.command()
@click.argument("mission_id")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@speaks
def delete(mission_id: str, yes: bool, as_json: bool) -> None:
    """Remove an ended mission with its phases, tasks and journal, for good."""
    if not yes:
        if as_json or not sys.stdin.isatty():
            raise click.UsageError("deleting cannot be undone: give --yes to do it without being asked.")
        click.confirm(f"Delete {mission_id} for good?", abort=True)
    done = client.call("mission_delete", {"mission_id": mission_id})
    show_json(done) if as_json else click.echo(f"'{done['name']}' is deleted.")
