"""`mission launch` and `mission adapters`."""

from __future__ import annotations

import shlex
from typing import Any

import click

from mission.domain.executions.signals import Delivery
from mission.transports.cli import daemon_client as client
from mission.transports.cli.handover import handed_over
from mission.transports.cli.output import json_option, own_command, report_errors, say, show_json
from mission.transports.cli.short_id import TASK_ID
from mission.transports.cli.tables import show_table


@click.command()
@click.option("--adapter", "-a", required=True, help="The client; 'mission adapters' lists all.")
@click.option("--task", "-t", "task_id", type=TASK_ID, metavar="ID", required=True, help="The task to work on.")
@click.option(
    "--interactive",
    "-i",
    is_flag=True,
    help="Run in a terminal that you can watch with 'mission attach' or on the page.",
)
@click.option(
    "--delivery",
    type=click.Choice([str(each) for each in Delivery]),
    help="Delivery method for signals (default: the adapter's).",
)
@click.option("--name", help="A name for the agent.")
@click.option("--repository", "repository_path", help="Where to work (default: the task's own tree).")
@click.option("--seconds", type=click.FloatRange(min=0, min_open=True), help="Time limit.")
@click.option("--dry-run", is_flag=True, help="Show command line and prompt without launching.")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[-- ARGUMENTS…]")
@json_option
@report_errors
def launch(adapter: str, dry_run: bool, as_json: bool, arguments: tuple[str, ...], **options: Any) -> None:
    """Launch an agent on a task: claim and start the task for it, then start its program.

    Arguments after '--' go to the client; with --adapter command, they are the program and its arguments.
    """
    order = {name: value for name, value in options.items() if value is not None and name != "name"}
    order |= {"adapter": adapter, "arguments": list(arguments)}
    if options["name"]:
        order["agent_name"] = options["name"]
    task = client.call("task_get", {"id": options["task_id"]})  # first: a wrong id is the likeliest mistake
    with handed_over([adapter]) as handover:
        found = client.call("execution_preview" if dry_run else "execution_launch", {**order, **handover})
    if as_json:
        show_json(found)
    elif dry_run:
        _show_preview(found)
    else:
        say(found["id"])  # a script reads the id alone
        mission = own_command()
        say(f"{adapter} works on '{task['name']}'. Watch it: {mission} attach {found['id']}", err=True)
        say(f"Watch all agents: {mission} top", err=True)


@click.command()
@json_option
@report_errors
def adapters(as_json: bool) -> None:
    """List the agent clients that can be launched, with installation and capabilities."""
    found = client.call("adapter_list", {})
    if as_json:
        show_json(found)
        return
    rows = [
        (
            row["name"],
            "any program" if not row["path"] and row["installed"] else row["version"] or row["path"] or "not installed",
            ", ".join(row["capabilities"]["supported"]),
            "yes" if row["interactive"] else "no",
            "yes" if row["resumes"] else "no",
        )
        for row in found["adapters"]
    ]
    show_table(
        ["ADAPTER", "INSTALLED", "SIGNALS BY", "TERMINAL", "RESUMES"],
        rows,
        empty="No adapters.",
        drop=["SIGNALS BY", "RESUMES"],
    )


def _show_preview(found: dict[str, Any]) -> None:
    say(f"directory: {found['directory'] or '(unknown)'}")
    say(f"delivery:  {found['delivery']}")
    words = ["PROMPT" if word == found["prompt"] else word for word in found["argv"]]
    say(f"command:   {shlex.join(words)}")
    say(f"variables: {', '.join(found['variables'])}\n")
    say(found["prompt"])
