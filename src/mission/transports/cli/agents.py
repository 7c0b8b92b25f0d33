"""`mission agents`."""

from __future__ import annotations

import click

from mission.transports.cli import client
from mission.transports.cli.output import ago, json_option, show_json, show_table, speaks


@click.command()
@click.option("--status", multiple=True, type=click.Choice(["online", "busy", "offline"]), help="Only these.")
@json_option
@speaks
def agents(status: tuple[str, ...], as_json: bool) -> None:
    """List agents, the most recently seen first."""
    wanted = {"status": list(status)} if status else {}
    found = client.call_every_page("agent_list", wanted, rows="agents", limit=1000)
    found["agents"].sort(key=lambda row: row["last_heartbeat"], reverse=True)
    if as_json:
        show_json(found)
        return
    rows = [
        (row["id"], row["name"], row["runtime"], row["type"], row["status"], row["current_task_id"],
         ago(row["last_heartbeat"]))
        for row in found["agents"]
    ]  # fmt: skip
    show_table(
        ["ID", "NAME", "RUNTIME", "TYPE", "STATUS", "TASK", "SEEN"],
        rows,
        empty="No agent matches." if status else "No agents yet.",
    )
