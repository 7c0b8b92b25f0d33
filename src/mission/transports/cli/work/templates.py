"""`mission templates`."""

from __future__ import annotations

import click

from mission.transports.cli import daemon_client as client
from mission.transports.cli.output import json_option, report_errors, say, show_json
from mission.transports.cli.tables import show_table


@click.command()
@json_option
@report_errors
def templates(as_json: bool) -> None:
    """List templates: saved ones and files in .mission/templates of this and all registered repositories."""
    found = client.call_every_page("template_list", {}, rows="templates", limit=100)
    if as_json:
        show_json(found)
        return
    rows = [
        (
            row["id"],
            row["name"],
            row["tasks_total"],
            ", ".join(_blank(variable) for variable in row["variables"]),
            row["source"],
        )
        for row in found["templates"]
    ]
    show_table(
        ["ID", "NAME", "TASKS", "VARIABLES", "FILE"], rows, empty="No templates yet.", drop=["FILE", "VARIABLES"]
    )
    for row in found["broken"]:
        say(f"{row['source']} cannot be used: {row['problem']}", fg="yellow", err=True)


def _blank(variable: dict[str, str | bool | None]) -> str:
    needed = variable["required"] and variable["default"] is None
    return f"{variable['name']}*" if needed else str(variable["name"])
