"""`mission setup`: connect agent clients to Mission Control, and disconnect them."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from mission.domain.errors import InvalidState
from mission.gateway.toolsets import parse_toolsets
from mission.runtime.adapters.config_adapter import Adapter, Command, ConfigLocation, ConfigScope, discover
from mission.runtime.client_setup import connect
from mission.runtime.client_setup import setup as steps
from mission.runtime.client_setup.setup import PlannedSetup
from mission.runtime.config_files.file_changes import Backups, Change
from mission.settings import load
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
    return [steps.find_client(client)]


def _is_there(adapter: Adapter, place: ConfigLocation, scope: ConfigScope) -> bool:
    connection = connect.get_connection(adapter, place, scope)
    return connection.is_set_up or bool(connection.hooks)


# Listing


def _list(place: ConfigLocation, *, as_json: bool) -> None:
    rows = steps.describe_clients(place)
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
        plans = [PlannedSetup(adapter=adapter, changes=self._plan(adapter)) for adapter in self.adapters]
        changes = [change for plan in plans for change in plan.changes]
        self.out.show(changes)
        if self.out.print_only:
            self._finish(changes, written=False)
            return
        if changes:
            self.out.confirm("Write this?")
        made = steps.apply_all(plans, self.backups)
        try:
            tools = self._try()
        except BaseException:
            steps.take_all_back(plans, made, self.backups)
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
        serve = steps.serve_command(self.command, toolsets=self.toolsets)
        self.out.say(f"Starting '{serve.line()}' once …", style="dim")
        return asyncio.run(steps.try_server(serve, directory=self.place.project))

    def _report(self, plans: Sequence[PlannedSetup], tools: Sequence[str]) -> None:
        for plan in plans:
            adapter, changes = plan.adapter, plan.changes
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
