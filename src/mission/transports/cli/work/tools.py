"""`mission tools`, `mission call`: every tool from the command line."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from mission.spelling import nearest
from mission.transports.cli import daemon_client as client
from mission.transports.cli.output import json_option, report_errors, show_json
from mission.transports.cli.tables import show_table


@click.command()
@click.argument("name", required=False)
@click.option("--toolsets", default="all", show_default=True, help="Toolsets or roles, separated by commas.")
@json_option
@report_errors
def tools(name: str | None, toolsets: str, as_json: bool) -> None:
    """List the tools, or show the arguments of one."""
    from mission import tools as package  # deferred: a call does not need the models of all tools
    from mission.gateway.registry import Registry
    from mission.gateway.toolsets import parse_toolsets

    wanted = parse_toolsets(toolsets)
    found = Registry(package).chosen(wanted)
    if name is not None:
        close = nearest(name, [tool.name for tool in found])
        found = [tool for tool in found if tool.name == name]
        if not found:
            advice = f"did you mean '{close}'?" if close else "'mission tools' lists all tools."
            raise click.UsageError(f"There is no tool '{name}'; {advice}")
    if as_json or name is not None:
        listed = [
            {
                "name": tool.name,
                "toolset": tool.toolset,
                "description": tool.description,
                "input_schema": tool.input_schema,
                "output_schema": tool.output_schema,
            }
            for tool in found
        ]
        show_json(listed[0] if name is not None else {"tools": listed})
        return
    show_table(
        ["TOOL", "TOOLSET", ""], [(tool.name, tool.toolset, tool.description) for tool in found], empty="No tools."
    )


@click.command()
@click.argument("tool")
@click.argument("arguments", default="{}")
@click.option("--agent", help="Act as this agent (id or name).")
@json_option
@report_errors
def call(tool: str, arguments: str, agent: str | None, as_json: bool) -> None:  # noqa: ARG001
    """Call TOOL with ARGUMENTS, a JSON object; '-' reads them from stdin.

    \b
    mission call start_mission '{"name": "Auth", "objective": "Log in with JWT"}'
    """
    show_json(client.call(tool, _parse(arguments), agent=agent))


def _parse(text: str) -> dict[str, Any]:
    try:
        arguments = json.loads(sys.stdin.read() if text == "-" else text)
    except ValueError as error:
        raise click.UsageError(f"ARGUMENTS is not valid JSON: {error}") from None
    if not isinstance(arguments, dict):
        raise click.UsageError('ARGUMENTS must be a JSON object, such as \'{"name": "Auth"}\'.')
    return arguments
