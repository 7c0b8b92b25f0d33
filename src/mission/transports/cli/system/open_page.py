"""`mission open`: open the web page, signed in, or the documentation."""

from __future__ import annotations

import json
import os
import sys

import click

from mission.settings import load_or_default
from mission.transports.bridge import daemon_process as daemon
from mission.transports.bridge.http_client import HttpConnection
from mission.transports.cli.output import json_option, report_errors, show_json


@click.command(name="open")
@click.option("--docs", is_flag=True, help="Open the documentation instead.")
@click.option("--print", "only_print", is_flag=True, help="Print the link instead of opening a browser.")
@json_option
@report_errors
def open_(docs: bool, only_print: bool, as_json: bool) -> None:
    """Open the web page, signed in. The link works once, within two minutes."""
    running = daemon.ensure(load_or_default())
    address = f"{running.url}/docs/" if docs else f"{running.url}/open#{_code(running)}"
    if as_json:
        show_json({"url": address})
    elif only_print or not _opened(address):
        click.echo(address)
        if not docs:
            click.echo("Open this link in a browser to sign in. It works once, within two minutes.", err=True)
    else:
        opened = "The documentation" if docs else "Mission Control"
        click.echo(f"{opened} is open in your browser ({running.url})")


def _code(running: daemon.Daemon) -> str:
    connection = HttpConnection(running.url, connect_timeout=5.0, timeout=30.0)
    try:
        headers = {"Authorization": f"Bearer {daemon.bearer(running)}", "Connection": "close"}
        answer = connection.request("POST", "/api/session", headers, b"")
        found = json.loads(answer.read())
    finally:
        connection.close()
    if answer.status != 200:
        raise daemon.ToolFailed(found["error"], status=answer.status)
    return str(found["code"])


def _opened(address: str) -> bool:
    """Open the address in a browser and return whether it did; over ssh or without a screen, do nothing."""
    import webbrowser  # deferred: not needed to print the link

    remote = "SSH_CONNECTION" in os.environ and "BROWSER" not in os.environ
    screen = sys.platform == "darwin" or bool({"DISPLAY", "WAYLAND_DISPLAY", "BROWSER"} & os.environ.keys())
    return screen and not remote and webbrowser.open(address)
