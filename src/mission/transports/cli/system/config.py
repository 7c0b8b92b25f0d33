"""`mission config`."""

from __future__ import annotations

import click

from mission.settings import describe, load, unknown_variables
from mission.transports.cli.output import json_option, report_errors, show_json, show_table, warn, wide


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
    columns = {"NAME": "name", "VALUE": "value", "FROM": "source"} | ({"": "doc"} if wide() else {})
    show_table(list(columns), [[row[key] for key in columns.values()] for row in rows], empty="")
    click.echo(f"\nSettings file: {settings.file_path}{'' if settings.file_path.exists() else ' (does not exist)'}")
    warn(unknown_variables())
