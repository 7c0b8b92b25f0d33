"""`mission config`."""

from __future__ import annotations

import click

from mission.settings import describe, load, unknown_variables
from mission.transports.cli.output import json_option, report_errors, show_json, warn
from mission.transports.cli.tables import show_table


@click.command()
@json_option
@report_errors
def config(as_json: bool) -> None:
    """Show the effective settings and where each comes from.

    Each can be set as MISSION_<NAME> in the environment or as <name> in MISSION_HOME/settings.toml.
    """
    settings = load()
    rows = describe(settings)
    if as_json:
        show_json({"file": str(settings.file_path), "settings": rows, "warnings": unknown_variables()})
        return
    cells = [[row[key] for key in ("name", "value", "source", "doc")] for row in rows]
    show_table(["NAME", "VALUE", "FROM", "MEANING"], cells, empty="", drop=["MEANING", "FROM"], whole=["VALUE"])
    click.echo(f"\nSettings file: {settings.file_path}{'' if settings.file_path.exists() else ' (does not exist)'}")
    warn(unknown_variables())
