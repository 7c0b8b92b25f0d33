"""`mission show`: one mission or one task."""

from __future__ import annotations

import click

from mission.transports.cli.output import json_option, report_errors, show_json
from mission.transports.cli.short_id import MISSION_OR_TASK_ID
from mission.transports.cli.show.mission_page import read_mission, show_mission
from mission.transports.cli.show.task_page import read_task, show_task


@click.command()
@click.argument("id", type=MISSION_OR_TASK_ID)
@click.option(
    "--limit",
    default=20,
    show_default=True,
    type=click.IntRange(1, 200),
    help="Decisions, milestones and blockers to show; all tasks are shown.",
)
@json_option
@report_errors
def show(id: str, limit: int, as_json: bool) -> None:
    """Show one mission (phases, all tasks, decisions, blockers) or one task (outcome, files, journal)."""
    is_task = id.startswith("t_")
    found = read_task(id) if is_task else read_mission(id, limit=limit, with_records=as_json)
    if as_json:
        show_json(found)
    else:
        show_task(found) if is_task else show_mission(found)
