"""`mission permissions`: show what an agent may do and which rule decides."""

from __future__ import annotations

import click

from mission.transports.cli import daemon_client as client
from mission.transports.cli.names import names_of, with_name
from mission.transports.cli.output import json_option, report_errors, say, show_json
from mission.transports.cli.short_id import AGENT_ID
from mission.transports.cli.tables import show_table


@click.command()
@click.argument("agent", type=AGENT_ID, metavar="AGENT")
@json_option
@report_errors
def permissions(agent: str, as_json: bool) -> None:
    """Show what AGENT (id, name, or a type such as WORKER) may do, rule by rule. Deny rules are checked first.

    Add rules in settings.toml under [permissions.WORKER]: the lists 'allow' and 'deny' add patterns, 'without' removes
    built-in ones.
    """
    found = client.call("permission_show", {"agent_id": agent})
    if as_json:
        show_json(found)
        return
    who = with_name(found["agent_id"], names_of([found["agent_id"]])) if found["agent_id"] else "Every agent"
    say(f"{who} of type {found['type']}\n")
    rows = [(rule["effect"], rule["pattern"], rule["source"], ", ".join(rule["tools"])) for rule in found["rules"]]
    rows.append(("deny", "(everything else)", "default", ", ".join(found["denied_by_default"])))
    show_table(["RULE", "PATTERN", "FROM", "DECIDES"], rows, empty="", drop=["FROM"])
