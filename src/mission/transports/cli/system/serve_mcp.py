"""`mission mcp` as the help shows it; the program itself hands it to the bridge before any of this is imported."""

from __future__ import annotations

import sys

import click


@click.command(context_settings={"ignore_unknown_options": True}, add_help_option=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def mcp(arguments: tuple[str, ...]) -> None:
    """Serve MCP on stdin and stdout."""
    from mission.serve import run_standalone  # deferred: the program itself never comes this way
    from mission.transports.bridge import signal_bridge
    from mission.transports.bridge import stdio_bridge as bridge

    if arguments[:1] == ("connect",):
        sys.exit(signal_bridge.run(list(arguments[1:])))
    sys.exit(bridge.run(list(arguments), standalone=run_standalone))
