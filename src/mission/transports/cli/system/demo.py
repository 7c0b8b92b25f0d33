"""`mission demo`: play a demo mission."""

from __future__ import annotations

import asyncio
import secrets
import shlex
import subprocess
from typing import Any

import click

from mission.settings import load_or_default
from mission.transports.bridge.daemon_process import DaemonUnavailable, ToolFailed
from mission.transports.cli import daemon_client as client
from mission.transports.cli.output import json_option, own_command, report_errors, show_json

SLOW_SECONDS = 4.0
QUICK_SECONDS = 0.2
COLORS = {"you": "yellow", "lead": "magenta", "cleo": "red", "dora": "cyan", "ada": "green", "bob": "blue"}


@click.command()
@click.option("--quick", is_flag=True, help="Skip pauses and answer its questions automatically.")
@json_option
@report_errors
def demo(quick: bool, as_json: bool) -> None:
    """Play a mission in a scratch repository: a plan, parallel agents, proof, a crash, a question to you, completion.

    Small real agents play it through the usual transports, so the page ('mission open'), 'mission inbox' and every
    other command show it like your own missions. No model is needed.
    """
    from mission.demo.scenario import Pace, Play  # deferred: imports the MCP client
    from mission.demo.scripted_agent import Refused

    folder = load_or_default().home / "demo" / secrets.token_hex(4)
    pace = Pace(seconds=QUICK_SECONDS if quick else SLOW_SECONDS, answers_itself=quick)

    def say(who: str, what: str) -> None:
        click.echo(f"{click.style(f'{who:>5}', fg=COLORS.get(who))}  {what}", err=as_json)

    if not quick:
        say("you", f"watch it on the page: '{own_command()} open' in another terminal")
    play = Play(repository=folder / "ledger", operator=client.call, say=say, pace=pace, command=own_command())
    try:
        done = asyncio.run(play.run())
    except KeyboardInterrupt:
        raise click.ClickException(f"interrupted{_broken_off(play)}") from None
    except Exception as problem:
        _broken_off(play)
        cause = _cause(problem)
        if isinstance(cause, (Refused, ToolFailed, DaemonUnavailable, subprocess.CalledProcessError)):
            raise click.ClickException(f"The demo stopped: {cause}") from None
        raise
    found = _summary(play, done)
    show_json(found) if as_json else _show(found)


def _broken_off(play: Any) -> str:
    """End the mission if the daemon is running, and return the text to show."""
    try:
        play.break_off()
    except (ToolFailed, DaemonUnavailable):
        return ""
    return f"; mission {play.mission_id} was closed and none of its agents is running" if play.mission_id else ""


def _cause(problem: BaseException) -> BaseException:
    """Return the cause inside the exception groups of the clients' task groups."""
    while isinstance(problem, BaseExceptionGroup):
        problem = problem.exceptions[0]
    return problem


def _summary(play: Any, done: dict[str, Any]) -> dict[str, Any]:
    progress = client.call("workflow_progress", {"workflow_id": play.mission_id})
    executions = client.call("execution_list", {"mission_id": play.mission_id})["executions"]
    context = client.call("get_context", {"mission_id": play.mission_id, "include": ["phase_summary"]})
    return {
        "mission_id": play.mission_id,
        "repository": str(play.repository),
        "tasks_completed": progress["by_status"]["completed"],
        "tasks_total": progress["total_tasks"],
        "evidence": context["evidence"],
        "executions": len(executions),
        "metrics": done.get("metrics"),
    }


def _show(found: dict[str, Any]) -> None:
    mission, made, repository = own_command(), found["mission_id"], shlex.quote(found["repository"])
    click.echo()
    completed = f"{found['tasks_completed']} of {found['tasks_total']} tasks completed"
    click.echo(f"{completed}, {found['evidence']['proved']} of them proved; {found['executions']} launches.")
    click.echo(f"The work:    git -C {repository} log --graph --oneline")
    click.echo(f"The record:  {mission} show {made}")
    click.echo(f"The proof:   {mission} evidence --mission {made}")
    click.echo(f"The page:    {mission} open")
    click.echo(f"Remove it:   {mission} delete {made} --yes && rm -rf {repository}")
