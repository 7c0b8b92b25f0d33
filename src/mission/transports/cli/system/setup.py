"""`mission setup`: connect agent clients to Mission Control, and disconnect them."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from mission.domain.errors import InvalidInput, InvalidState, MissionError
from mission.gateway.registry import parse_toolsets
from mission.runtime.adapters.config_adapter import Adapter, Command, ConfigLocation, ConfigScope, discover
from mission.runtime.client_setup import connect, probe
from mission.runtime.config_files.file_changes import Backups, Change
from mission.settings import load
from mission.spelling import nearest
from mission.transports.cli.output import json_option, report_errors, show_json
from mission.transports.cli.tables import show_table

ALL = "all"


@click.command(short_help="Connect an agent client to Mission Control.")
@click.argument("client", required=False, metavar="[CLIENT]")
@click.option(
    "--scope",
    type=click.Choice([scope.value for scope in ConfigScope]),
    help="For all your projects or for one  [default: user, or project with --project].",
)
@click.option(
    "--project",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The project's folder (default: the current one).",
)
@click.option("--hooks", is_flag=True, help="Also install the client's hooks, so that sessions register themselves.")
@click.option("--toolsets", default="", metavar="LIST", help="Toolsets the client can see, separated by commas.")
@click.option("--yes", is_flag=True, help="Write without asking.")
@click.option("--print", "print_only", is_flag=True, help="Only show what would change.")
@click.option("--remove", is_flag=True, help="Remove what 'mission setup' added.")
@json_option
@report_errors
def setup(
    client: str | None,
    scope: str | None,
    project: Path | None,
    hooks: bool,
    toolsets: str,
    yes: bool,
    print_only: bool,
    remove: bool,
    as_json: bool,
) -> None:
    """Connect CLIENT to Mission Control, or list the clients if none is given.

    Edits the client's own configuration: shows the difference, asks, keeps everything else in the file, then starts
    the server once and lists its tools. If that fails, the file is restored. 'all' means every installed client.

    \b
    mission setup                         list the clients
    mission setup claude-code --hooks     for all your projects, with hooks
    mission setup codex --scope project   for the project in this folder
    mission setup --remove codex          disconnect it
    """
    scope = scope or (ConfigScope.PROJECT if project is not None else ConfigScope.USER).value
    place = connect.here(project=project)
    if client is None:
        if remove or hooks or toolsets:
            raise click.UsageError("Name the client, or 'all'.")
        _list(place, as_json=as_json)
        return
    parse_toolsets(toolsets)
    settings = load()
    work = _Work(
        adapters=_chosen(client, place, remove=remove, scope=ConfigScope(scope)),
        place=place,
        scope=ConfigScope(scope),
        command=connect.mission_command(settings),
        backups=Backups(settings.backups_path / "clients"),
        toolsets=toolsets,
        hooks=hooks,
        out=_Output(as_json=as_json, may_ask=not yes, print_only=print_only),
    )
    if remove:
        work.disconnect()
    else:
        work.connect()


def _chosen(client: str, place: ConfigLocation, *, remove: bool, scope: ConfigScope) -> list[Adapter]:
    adapters = discover()
    if client == ALL and remove:
        return [adapter for adapter in adapters.values() if _is_there(adapter, place, scope)]
    if client == ALL:
        found = [adapter for adapter in adapters.values() if connect.is_installed(adapter)]
        if not found:
            raise InvalidState("No agent client was found on PATH.", hint=f"Name one of: {', '.join(adapters)}.")
        return found
    if client not in adapters:
        by_program = {adapter.program: name for name, adapter in adapters.items()}
        meant = by_program.get(client) or nearest(client.lower(), adapters)
        raise InvalidInput(
            f"There is no client '{client}'" + (f"; did you mean '{meant}'?" if meant else ""),
            hint=f"Known clients: {', '.join(adapters)}, and 'all'.",
        )
    return [adapters[client]]


def _is_there(adapter: Adapter, place: ConfigLocation, scope: ConfigScope) -> bool:
    connection = connect.get_connection(adapter, place, scope)
    return connection.is_set_up or bool(connection.hooks)


# Listing


def _list(place: ConfigLocation, *, as_json: bool) -> None:
    adapters = list(discover().values())
    with ThreadPoolExecutor() as pool:
        rows = list(pool.map(lambda adapter: _row(adapter, place), adapters))
    if as_json:
        show_json({"clients": rows})
        return
    show_table(("client", "installed", "set up", "hooks"), map(_cells, rows), empty="")
    if not any(found["set_up"] for row in rows for found in row["scopes"].values()):
        click.echo("\nConnect one with 'mission setup CLIENT'.")


def _cells(row: dict[str, Any]) -> list[str]:
    scopes = row["scopes"].items()
    wrong = next((found["problem"] for _, found in scopes if found["problem"]), None)
    set_up = ", ".join(scope for scope, found in scopes if found["set_up"])
    hooks = ", ".join(scope for scope, found in scopes if found["hooks"])
    installed = (row["version"] or "yes") if row["program"] else "–"
    return [row["client"], installed, wrong or set_up or "–", hooks or "–"]


def _row(adapter: Adapter, place: ConfigLocation) -> dict[str, Any]:
    program = connect.find_program(adapter)
    return {
        "client": adapter.name,
        "title": adapter.title,
        "program": program.path if program else None,
        "version": program.version if program else None,
        "scopes": {scope.value: _state(adapter, place, scope) for scope in ConfigScope},
    }


def _state(adapter: Adapter, place: ConfigLocation, scope: ConfigScope) -> dict[str, Any]:
    try:
        found = connect.get_connection(adapter, place, scope)
    except MissionError as error:
        return {"set_up": False, "hooks": False, "problem": error.message}
    return {"set_up": found.is_set_up, "hooks": bool(found.hooks), "file": str(found.file), "problem": None}


# Changing


@dataclass(frozen=True, kw_only=True, slots=True)
class _Output:
    """Output of the command, and whether it asks before it writes."""

    as_json: bool
    may_ask: bool
    print_only: bool

    def say(self, text: str, *, style: str = "") -> None:
        if not self.as_json:
            Console(highlight=False, soft_wrap=True).print(Text(text, style=style))

    def show(self, changes: Sequence[Change]) -> None:
        for change in changes:
            for line in change.diff().splitlines():
                self.say(line, style=_style(line))
            self.say("")

    def confirm(self, question: str) -> None:
        """Ask for confirmation unless --yes was given; raise if it is refused."""
        if not self.may_ask:
            return
        if self.as_json or not sys.stdin.isatty():
            raise InvalidState(
                "Nothing was written: there is no terminal to ask for confirmation.",
                hint="Add --yes to write without asking, or --print to only see what would change.",
            )
        if not click.confirm(question, default=True):
            raise InvalidState("Nothing was written.")

    def finish(self, **result: Any) -> None:
        if self.as_json:
            show_json(result)


def _style(line: str) -> str:
    if line.startswith(("+++", "---")):
        return "bold"
    return {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")


@dataclass(frozen=True, kw_only=True, slots=True)
class _Work:
    """One run of the command."""

    adapters: Sequence[Adapter]
    place: ConfigLocation
    scope: ConfigScope
    command: Command
    backups: Backups
    toolsets: str
    hooks: bool
    out: _Output

    def connect(self) -> None:
        plans = [(adapter, self._plan(adapter)) for adapter in self.adapters]
        changes = [change for _, found in plans for change in found]
        self.out.show(changes)
        if self.out.print_only:
            self._finish(changes, written=False)
            return
        if changes:
            self.out.confirm("Write this?")
        done: list[tuple[Adapter, Sequence[Change], Sequence[Path]]] = []
        try:
            for adapter, found in plans:
                done.append((adapter, found, connect.apply(adapter, found, self.backups)))
            tools = self._try()
        except BaseException:
            for adapter, written, made in reversed(done):
                connect.take_back(adapter, written, made, self.backups)
            raise
        self._report(plans, tools)
        self._finish(changes, written=bool(changes), tools=tools)

    def disconnect(self) -> None:
        changes = [
            change
            for adapter in self.adapters
            for change in connect.plan_removal(adapter, self.place, self.scope, self.backups)
        ]
        self.out.show(changes)
        if changes and not self.out.print_only:
            self.out.confirm("Remove this?")
            connect.apply_removal(changes, self.backups)
        written = bool(changes) and not self.out.print_only
        if written:
            self.out.say(f"Removed from {_names(self.adapters)}.", style="green")
        elif not changes:
            self.out.say(f"Mission Control is not set up in {_names(self.adapters) or 'any client'}.")
        self._finish(changes, written=written)

    def _plan(self, adapter: Adapter) -> list[Change]:
        hooks = self.hooks and (adapter.hooks is not None or len(self.adapters) == 1)
        return connect.plan(adapter, self.place, self.scope, self.command, toolsets=self.toolsets, hooks=hooks)

    def _try(self) -> list[str]:
        serve = self.command.with_arguments("mcp", *(["--toolsets", self.toolsets] if self.toolsets else []))
        self.out.say(f"Starting '{serve.line()}' once …", style="dim")
        tools = asyncio.run(probe.list_tools(serve, directory=self.place.project))
        if not tools:
            raise InvalidState(
                "The server runs but lists no tools.", hint="Check --toolsets; 'mission tools' lists all."
            )
        return tools

    def _report(self, plans: Sequence[tuple[Adapter, Sequence[Change]]], tools: Sequence[str]) -> None:
        for adapter, changes in plans:
            already = "" if changes else " already"
            self.out.say(f"{adapter.title} is{already} set up.", style="green")
            if changes:
                steps = [self.scope.value, *(["hooks"] if self.hooks else [])]
                for step in steps:
                    if step in adapter.next_steps:
                        self.out.say(f"  {adapter.next_steps[step]}")
            if changes and not connect.is_installed(adapter):
                self.out.say(f"  '{adapter.program}' was not found on PATH; the setup works once you install it.")
        self.out.say(f"{len(tools)} tools: {', '.join(tools)}")

    def _finish(self, changes: Sequence[Change], *, written: bool, tools: Sequence[str] | None = None) -> None:
        self.out.finish(
            clients=[adapter.name for adapter in self.adapters],
            scope=self.scope.value,
            changed=written,
            files=[{"path": str(change.path), "change": change.kind, "diff": change.diff()} for change in changes],
            tools=tools,
        )


def _names(adapters: Sequence[Adapter]) -> str:
    return ", ".join(adapter.title for adapter in adapters)
