"""`mission mcp` for the help; the program starts the bridge before this file is imported."""

from __future__ import annotations

import sys

import click


@click.command(context_settings={"ignore_unknown_options": True}, add_help_option=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def mcp(arguments: tuple[str, ...]) -> None:
    """Serve MCP on stdin and stdout."""
    from mission.serve import run_standalone  # deferred: the program itself does not use this path
    from mission.transports.bridge import bridge, signal_bridge

    if arguments[:1] == ("connect",):
        sys.exit(signal_bridge.run(list(arguments[1:])))
    sys.exit(bridge.run(list(arguments), standalone=run_standalone))
