"""Start a run from the command line: its options, the call, and what is shown of it."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from mission.domain.errors import InvalidInput
from mission.transports.cli import daemon_client as client
from mission.transports.cli.handover import handed_over
from mission.transports.cli.names import names_of, with_name
from mission.transports.cli.output import own_command, say, show_json
from mission.transports.cli.runs import run_progress
from mission.transports.cli.runs.run_words import show_questions

Command = TypeVar("Command", bound=Callable[..., Any])

UNITS = {
    "usd": "usd",
    "$": "usd",
    "tokens": "tokens",
    "token": "tokens",
    "minutes": "minutes",
    "minute": "minutes",
    "min": "minutes",
    "m": "minutes",
    "hours": "hours",
    "hour": "hours",
    "h": "hours",
    "launches": "launches",
    "launch": "launches",
}
INTERRUPTED = 130
"""The exit code after Ctrl-C while waiting for the end: the run has not finished."""
_AMOUNT = re.compile(r"(\$?)([0-9]+(?:[.,][0-9]+)*)\s*([a-zA-Z$]*)\Z")

_OPTIONS = (
    click.option(
        "--agent",
        "agents",
        multiple=True,
        metavar="CLIENT[=N]",
        help="A client and how many to run, such as codex=2; repeatable. For 'command', add --command.",
    ),
    click.option("--command", "program", metavar="PROGRAM", help="The program and arguments of '--agent command'."),
    click.option("--review", type=click.Choice(["none", "person", "risk", "agent"]), help="Who reviews results."),
    click.option(
        "--budget", multiple=True, metavar="AMOUNT", help="A limit: 20usd, 90min, 500000tokens, 30launches; repeatable."
    ),
    click.option("--max-parallel", type=click.IntRange(0), help="How many agents work at once."),
    click.option("--target", metavar="BRANCH", help="The branch to land on (default: the one that is checked out)."),
    click.option("--land", is_flag=True, default=None, help="Land automatically after the final checks."),
    click.option("--squash", is_flag=True, default=None, help="Land as one commit."),
    click.option("--init", is_flag=True, help="Create a git repository and a first commit if there is none."),
    click.option("--detach", "-d", is_flag=True, help="Start the run and return immediately."),
    click.option("--wait", is_flag=True, help="Wait for the end; exit code 0 only if the run has finished."),
)


def start_options(command: Command) -> Command:
    """Add the options of a run to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def start_run(
    subject: dict[str, Any],
    *,
    of_plan: Sequence[str] = (),
    agents: Sequence[str],
    program: str | None,
    budget: Sequence[str],
    detach: bool,
    wait: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Start the run of a plan or a mission, then show its stages until it ends or the person leaves.

    `of_plan` are the clients that the plan names, if the command line names none.
    """
    order = {name: value for name, value in options.items() if value is not None and value is not False}
    if agents:
        order["agents"] = [_agent(each, program) for each in agents]
    if budget:
        order["budget"] = _budget(budget)
    clients = [each["client"] for each in order["agents"]] if agents else of_plan
    with handed_over(clients) as handover:
        started = client.call("run_start", {**subject, **order, **handover, "path": os.environ.get("PATH", "")})
    if as_json or detach or not (wait or sys.stdout.isatty()):
        show_json(started) if as_json or not sys.stdout.isatty() else _say_started(started)
        return
    _say_started(started)
    _follow(started["run_id"], wait=wait)


def plan_target(path: Path) -> dict[str, Any]:
    """Return the arguments that name a plan file."""
    return {"plan_toml": path.read_text(), "plan_name": path.name, "folder": str(path.resolve().parent)}


def _say_started(started: dict[str, Any]) -> None:
    mission = with_name(started["mission_id"], names_of([started["mission_id"]]))
    say(f"{mission} runs as {started['run_id']} on branch {started['branch']}")
    show_questions(started)


def _follow(run_id: str, *, wait: bool) -> None:
    try:
        run = run_progress.follow(run_id, until_answered=not wait)
    except KeyboardInterrupt:
        mission = own_command()
        say(f"\nThe run continues. '{mission} runs {run_id}' shows it, '{mission} stop {run_id}' ends it.")
        if wait:
            sys.exit(INTERRUPTED)
        return
    run_progress.show_end(run)
    if wait and run["state"] != "finished":
        sys.exit(1)


def _agent(words: str, program: str | None) -> dict[str, Any]:
    name, given, number = words.partition("=")
    if given and not (number.isascii() and number.isdigit() and int(number) > 0):
        raise InvalidInput(f"--agent: '{words[:60]}' has no valid number", hint="Write it like codex=2.")
    agent: dict[str, Any] = {"client": name, "count": int(number) if given else 1}
    if name == "command":
        if program is None:
            raise InvalidInput("--agent command needs a program", hint="Add --command './agent.sh --fast'.")
        agent["command"] = _in_this_folder(shlex.split(program))
    return agent


def _in_this_folder(command: list[str]) -> list[str]:
    """Return the command with a relative program made absolute; one without a slash is found on PATH."""
    return [str(Path(command[0]).absolute()), *command[1:]] if command and "/" in command[0] else command


def _budget(amounts: Sequence[str]) -> dict[str, Any]:
    """Return limits as run_start takes them."""
    limits: dict[str, Any] = {}
    for words in amounts:
        found = _AMOUNT.match(words.strip())
        unit = UNITS.get((found[3].lower() or found[1]) if found is not None else "")
        if found is None or unit is None:
            raise InvalidInput(
                f"--budget: '{words[:60]}' is not an amount", hint="Write 20usd, 90min, 500000tokens or 30launches."
            )
        amount = float(found[2].replace(",", ""))
        if unit == "hours":
            unit, amount = "minutes", amount * 60
        limits[unit] = int(amount) if unit in {"tokens", "launches"} else amount
    return limits
