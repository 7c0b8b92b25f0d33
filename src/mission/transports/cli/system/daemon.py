"""`mission up`, `down`, `status`, `logs`: start, stop and watch the daemon."""

from __future__ import annotations

import json
import os
import stat
import sys
import time
from collections import deque
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import click

from mission.domain.agents.agent import CrewState
from mission.domain.errors import InvalidState, TransientError
from mission.domain.missions.mission import ENDED, MissionStatus
from mission.domain.plural import counted
from mission.domain.timestamps import format_time, parse_time, utc_now
from mission.settings import Settings, load, load_or_default, unknown_variables
from mission.transports.bridge import daemon_process as daemon
from mission.transports.cli import daemon_client as client
from mission.transports.cli.output import json_option, own_command, report_errors, say, show_json, warn
from mission.transports.cli.times import ago

JUST_NOW = timedelta(seconds=15)
"""Maximum age of a recent heartbeat, which is written every ten seconds."""
STATUS_SECONDS = 10.0
OPEN = sorted(str(status) for status in MissionStatus if status not in ENDED)


@click.command()
@click.option("--host", help="Address to listen on [default: 127.0.0.1]. The token is required on every address.")
@click.option("--port", type=int, help="Port to listen on [default: 6477; 0 picks a free port].")
@click.option("--detach", "-d", is_flag=True, help="Run in the background.")
@json_option
@report_errors
def up(host: str | None, port: int | None, detach: bool, as_json: bool) -> None:
    """Start Mission Control and run it until Ctrl-C, or in the background with --detach."""
    settings = load(host=host, port=port)
    if not as_json:
        warn(unknown_variables())
    running = daemon.find(settings)
    if running is not None and (host or port) and _is_elsewhere(settings, host, port):
        raise InvalidState(
            f"Mission Control is already running at {running.url}", hint="Stop it first with 'mission down'."
        )
    daemon.allow_start(settings)
    if detach:
        started = daemon.ensure(settings, options=_options(host, port))  # also replaces an older one
        note = " already" if running is not None and running.pid == started.pid else ""
        _show_daemon(started.url, started.pid, as_json=as_json, note=f"Mission Control is{note} running")
        return
    if running is not None:
        _show_daemon(running.url, running.pid, as_json=as_json, note="Mission Control is already running")
        return
    from mission.serve import run_daemon  # deferred: only this needs the whole application

    def announce(url: str) -> None:
        if as_json:
            _show_daemon(url, os.getpid(), as_json=True, note="")
        elif _into_a_file():  # a log: the address, without instructions that nobody follows there
            click.echo(f"Mission Control is running at {url} (process {os.getpid()})")
        else:
            click.echo(f"Mission Control is running at {url}\n")
            mission = own_command()
            click.echo(f"  Open the page:     {mission} open")
            click.echo(f"  Connect an agent:  {mission} setup claude-code   (or codex, opencode, gemini-cli, …)")
            click.echo(f"  Look around:       {mission} status | missions | doctor")
            click.echo("  Stop:              Ctrl-C\n")

    run_daemon(settings, announce=announce)


@click.command()
@click.option("--force", is_flag=True, help="Do not ask, even if agents are working.")
@json_option
@report_errors
def down(force: bool, as_json: bool) -> None:
    """Stop the daemon. It stays stopped until 'mission up'; agents and other commands do not start it.

    Connected agents get an error until then. Launched agents keep running; 'mission stop ID' stops one.
    """
    settings = load_or_default()
    running = daemon.find(settings) or (daemon.holder(settings) if force else None)
    if running is None:
        daemon.keep_stopped(settings)
        show_json({"stopped": False}) if as_json else click.echo("Mission Control is not running.")
        return
    busy = [] if force else at_work(_crew(), now=utc_now())
    if busy:
        names = ", ".join(busy[:5]) + (" …" if len(busy) > 5 else "")
        working = f"{counted(len(busy), 'agent is', 'agents are')} working"
        if as_json or not sys.stdin.isatty():
            raise InvalidState(
                f"{working}: {names}",
                hint="Launched agents keep running. Use --force to stop the daemon anyway.",
            )
        click.confirm(f"{working} ({names}); launched ones keep running. Stop anyway?", abort=True)
    daemon.keep_stopped(settings)  # first, so that no agent starts the next one in between
    try:
        daemon.stop(settings, running)
    except daemon.DaemonUnavailable:
        daemon.allow_start(settings)
        raise
    show_json({"stopped": True}) if as_json else click.echo("Mission Control has stopped, until 'mission up'.")


@click.command()
@json_option
@report_errors
def status(as_json: bool) -> None:
    """Show whether the daemon is running, where, and what is in progress. Exit code 0 if it is running, 1 if not."""
    settings = load_or_default()
    running = daemon.find(settings)
    stopped = daemon.stopped_since(settings)
    if running is None:
        facts: dict[str, object] = {"running": False, "home": str(settings.home)}
        if stopped is not None:
            facts["stopped_at"] = format_time(datetime.fromtimestamp(stopped, UTC))
    else:
        facts = {
            "running": True,
            "url": running.url,
            "pid": running.pid,
            "version": running.version,
            "home": str(settings.home),
            **_activity(),
        }
    if as_json:
        show_json(facts)
    elif running is None:
        _say_not_running(settings, facts.get("stopped_at"))
    else:
        click.echo(f"Mission Control {running.version} is running at {running.url} (process {running.pid})")
        if "problem" in facts:
            say(f"  {facts['problem']}", fg="yellow")
        else:
            missions, agents = (int(str(facts[name])) for name in ("open_missions", "agents_online"))
            click.echo(f"  {counted(missions, 'open mission')}, {counted(agents, 'agent')} online")
        click.echo(f"  data in {settings.home}")
    sys.exit(0 if running is not None else 1)


def _say_not_running(settings: Settings, stopped_at: object) -> None:
    mission = own_command()
    if stopped_at is not None:
        click.echo(f"Mission Control was stopped with 'mission down' ({ago(str(stopped_at))}).")
        click.echo(f"  Start it: {mission} up --detach")
    else:
        click.echo("Mission Control is not running.")
        click.echo(f"  The next agent or command that needs it starts it. To start it now: {mission} up --detach")
    click.echo(f"  data in {settings.home}")


def _activity() -> dict[str, object]:
    """Return the number of open missions and online agents, or the problem that prevents counting them."""
    try:
        missions = client.call("workflow_list", {"status": OPEN, "limit": 1}, timeout=STATUS_SECONDS)
        present = {"status": ["online", "busy"]}
        agents = client.call_every_page("agent_list", present, rows="agents", limit=1000, timeout=STATUS_SECONDS)
    except (daemon.ToolFailed, daemon.DaemonUnavailable) as problem:
        return {"open_missions": None, "agents_online": None, "problem": str(problem)}
    return {"open_missions": missions["total"], "agents_online": len(agents["agents"])}


def _crew() -> list[dict[str, Any]]:
    try:
        asked = client.call_every_page(
            "mcp__supervisor__list_agents", {}, rows="agents", limit=500, timeout=STATUS_SECONDS
        )
    except (daemon.ToolFailed, daemon.DaemonUnavailable) as problem:
        if isinstance(problem, daemon.ToolFailed) and problem.error["code"] != TransientError.code:
            raise
        message = f"Could not check whether agents are working: {problem}"
        raise InvalidState(message, hint="Use --force to stop the daemon anyway.") from None
    found: list[dict[str, Any]] = asked["agents"]
    return found


@click.command()
@click.option(
    "--lines", "-n", default=50, show_default=True, type=click.IntRange(min=0), help="Number of lines to show."
)
@click.option("--follow", "-f", is_flag=True, help="Keep printing new lines.")
@json_option
@report_errors
def logs(lines: int, follow: bool, as_json: bool) -> None:
    """Show the end of the daemon's log."""
    path = load_or_default().log_path
    if not path.exists():
        show_json({"lines": []}) if as_json else click.echo("No log yet; the daemon has not run.")
        return
    with path.open(errors="replace") as file:
        last = [line.rstrip("\n") for line in deque(file, maxlen=lines)]
        if as_json:
            show_json({"lines": last})
            return
        for line in last:
            click.echo(line)
        position = file.tell()
    if follow:
        _follow(path, position)


def _follow(path: Path, position: int) -> None:
    while True:
        if path.stat().st_size < position:
            position = 0  # the log was rotated
        with path.open(errors="replace") as file:
            file.seek(position)
            click.echo(file.read(), nl=False)
            position = file.tell()
        time.sleep(0.3)


def _is_elsewhere(settings: Settings, host: str | None, port: int | None) -> bool:
    """Return whether the running daemon listens on a different address than requested."""
    facts = json.loads(settings.daemon_path.read_text())
    wanted = "127.0.0.1" if host == "localhost" else host
    return bool((port and port != facts["port"]) or (wanted and wanted != facts["host"]))


def _into_a_file() -> bool:
    """Return whether the output goes to a file, where instructions are useless."""
    return stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode)


def _show_daemon(url: str, pid: int, *, as_json: bool, note: str) -> None:
    show_json({"url": url, "pid": pid}) if as_json else click.echo(f"{note} at {url} (process {pid})")


def at_work(agents: Sequence[Mapping[str, Any]], *, now: datetime) -> list[str]:
    """Return the names of the agents that stopping the daemon would interrupt: they have a task, a running program,
    or called a moment ago."""
    return [
        agent["name"]
        for agent in agents
        if (agent["state"] == CrewState.BUSY and agent["currentTaskId"] is not None)
        or agent["tmuxSessionName"] is not None
        or now - parse_time(agent["lastActiveAt"], field="lastActiveAt") < JUST_NOW
    ]


def _options(host: str | None, port: int | None) -> list[str]:
    options = [] if host is None else ["--host", host]
    return options if port is None else [*options, "--port", str(port)]
