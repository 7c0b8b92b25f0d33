"""`mission token`: show or renew the operator's access token."""

from __future__ import annotations

import json

import click

from mission.home import make_home, operator_token, renew_token
from mission.settings import Settings, load
from mission.transports.bridge import daemon_process as daemon
from mission.transports.cli.output import json_option, report_errors, show_json


@click.group()
def token() -> None:
    """Show or renew the operator's token. It grants full access."""


@token.command()
@json_option
@report_errors
def show(as_json: bool) -> None:
    """Print the token."""
    settings = load()
    make_home(settings)
    found = operator_token(settings)
    show_json({"token": found}) if as_json else click.echo(found)


def _address_options(settings: Settings) -> list[str]:
    """Return the options that restart the daemon on its current address."""
    facts = json.loads(settings.daemon_path.read_text())
    return ["--host", str(facts["host"]), "--port", str(facts["port"])]


def _restart(settings: Settings, running: daemon.Daemon, place: list[str]) -> None:
    try:
        daemon.stop(settings, running)
    except daemon.DaemonUnavailable as error:
        message = f"The token was renewed, but the running daemon still accepts the old one. {error.message}"
        raise daemon.DaemonUnavailable(message, hint=error.hint) from None
    daemon.ensure(settings, options=place)


@token.command()
@json_option
@report_errors
def rotate(as_json: bool) -> None:
    """Issue a new token and revoke the old one. A running daemon is restarted in the background."""
    settings = load()
    make_home(settings)
    running = daemon.find(settings)
    place: list[str] = []
    if running is not None:
        place = _address_options(settings)
    renew_token(settings)  # first: if this fails, the daemon keeps the old one
    if running is not None:
        _restart(settings, running, place)
    show_json({"rotated": True}) if as_json else click.echo(
        "The token was renewed. 'mission mcp' picks it up automatically; HTTP clients need the new one."
    )
