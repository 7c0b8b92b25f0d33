"""`mission agent`: create agents, renew and revoke their access tokens."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import click

from mission.domain.agents.agent import AgentType
from mission.domain.plural import counted
from mission.domain.timestamps import format_time, utc_now
from mission.transports.cli import daemon_client as client
from mission.transports.cli.names import names_of, with_name
from mission.transports.cli.output import json_option, report_errors, say, show_json
from mission.transports.cli.short_id import AGENT_ID, MISSION_ID
from mission.transports.cli.work.agent_list import agents

_SPAN = re.compile(r"(\d{1,9})([smhd])")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}

expires_option = click.option("--expires", help="Expiry: a time or a duration such as 90m, 8h, 30d. Default: never.")


@click.group()
def agent() -> None:
    """Create agents, and renew or revoke their tokens."""


agent.add_command(agents, "list")


@agent.command()
@click.option(
    "--type", "kind", required=True, type=click.Choice([str(kind) for kind in AgentType], case_sensitive=False)
)
@click.option("--name", required=True, help="Display name.")
@click.option("--mission", type=MISSION_ID, metavar="ID", help="The mission it works for (id).")
@click.option("--supervisor", type=AGENT_ID, metavar="AGENT", help="The agent notified when it fails (id or name).")
@click.option("--toolsets", help="Toolsets the token can see (default: its role's).")
@expires_option
@json_option
@report_errors
def create(
    kind: str,
    name: str,
    mission: str | None,
    supervisor: str | None,
    toolsets: str | None,
    expires: str | None,
    as_json: bool,
) -> None:
    """Create an agent and its token. The token is shown only once."""
    made = client.call(
        "mcp__agent__create",
        {
            "type": kind.upper(),
            "name": name,
            "epicId": mission,
            "supervisorId": supervisor,
            "toolsets": toolsets,
            "expiresAt": _moment(expires),
        },
    )
    _show(made, as_json=as_json)


@agent.command()
@click.argument("name", type=AGENT_ID, metavar="AGENT")
@expires_option
@json_option
@report_errors
def token(name: str, expires: str | None, as_json: bool) -> None:
    """Issue a new token for AGENT (id or name) and revoke the old ones. The token is shown only once."""
    _show(client.call("token_rotate", {"agent_id": name, "expires_at": _moment(expires)}), as_json=as_json)


@agent.command()
@click.argument("name", type=AGENT_ID, metavar="AGENT")
@json_option
@report_errors
def revoke(name: str, as_json: bool) -> None:
    """Revoke all tokens of AGENT (id or name)."""
    done = client.call("token_revoke", {"agent_id": name})
    if as_json:
        show_json(done)
    else:
        agent = with_name(done["id"], names_of([done["id"]]))
        say(f"{agent}: {counted(done['revoked'], 'token')} revoked.")


def _show(made: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        show_json(made)
        return
    say(f"{made['type']} {made['name']}: {made['id']}\n{made['token']}")
    say("The token is shown only once. Pass it to the agent as MISSION_TOKEN.", err=True)


def _moment(text: str | None) -> str | None:
    """Return the time that a text gives: a time, or a duration from now such as 90m, 8h, 30d."""
    found = _SPAN.fullmatch(text) if text else None
    if text and found is None and text[0].isdigit() and text[-1].isalpha() and text[-1] != "Z":
        raise click.UsageError(f"--expires: '{text}' is neither a time nor a duration such as 90m, 8h or 30d.")
    return format_time(utc_now() + timedelta(**{_UNITS[found[2]]: int(found[1])})) if found else text
