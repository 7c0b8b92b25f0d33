"""`mission agents`."""

from __future__ import annotations

import click

from mission.domain.display_status import AGENT_LABELS
from mission.transports.cli import daemon_client as client
from mission.transports.cli.output import json_option, report_errors, show_json
from mission.transports.cli.tables import show_table
from mission.transports.cli.times import ago


@click.command()
@click.option("--status", multiple=True, type=click.Choice(["online", "busy", "offline"]), help="Filter by status.")
@json_option
@report_errors
def agents(status: tuple[str, ...], as_json: bool) -> None:
    """List agents, most recently seen first."""
    wanted = {"status": list(status)} if status else {}
    found = client.call_every_page("agent_list", wanted, rows="agents", limit=1000)
    found["agents"].sort(key=lambda row: row["last_heartbeat"], reverse=True)
    if as_json:
        show_json(found)
        return
    fleet = {each["id"]: each for each in (client.call_if_allowed("overview", {}) or {"fleet": []})["fleet"]}
    rows = [
        (
            row["id"],
            row["name"],
            AGENT_LABELS[row["state"]],
            (fleet.get(row["id"]) or {}).get("task_name") or row["current_task_id"],
            ago(row["last_heartbeat"]),
            row["runtime"],
            row["type"],
        )
        for row in found["agents"]
    ]
    show_table(
        ["ID", "NAME", "STATE", "TASK", "SEEN", "RUNTIME", "TYPE"],
        rows,
        drop=["TYPE", "RUNTIME", "SEEN", "TASK"],
        empty="No matching agents." if status else "No agents yet.",
    )
