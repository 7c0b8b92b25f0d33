"""`mission checks`: list, set, suggest and run what must pass before a task is done."""

from __future__ import annotations

import json
import os
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from mission.domain.checks.check import Approval
from mission.domain.checks.evidence import EvidenceState
from mission.domain.errors import InvalidInput
from mission.transports.cli import daemon_client as client
from mission.transports.cli.check_words import STATE_COLORS, judged, last_lines, seconds_words, state_words
from mission.transports.cli.names import names_of, with_name
from mission.transports.cli.output import json_option, own_command, report_errors, say, show_json
from mission.transports.cli.proof.check_progress import follow_checks
from mission.transports.cli.proof.check_suggestions import suggest, suggested_definitions
from mission.transports.cli.short_id import MISSION_ID, MISSION_OR_TASK_ID, TASK_ID
from mission.transports.cli.tables import show_table

Command = Callable[..., Any]


def scope_options(command: Command) -> Command:
    """Add the options that say what the checks are for."""
    for option in (
        click.option("--repository", metavar="PATH", help="The repository at PATH. Default: the current one."),
        click.option("--mission", "mission_id", type=MISSION_ID, metavar="ID", help="One mission."),
        click.option("--task", "task_id", type=TASK_ID, metavar="ID", help="One task."),
    ):
        command = option(command)
    return command


@click.group()
def checks() -> None:
    """List, set, suggest and run what must pass before a task is done."""


checks.add_command(suggest)


@checks.command("list")
@click.argument("id", metavar="[ID]", type=MISSION_OR_TASK_ID, required=False)
@scope_options
@json_option
@report_errors
def list_(id: str | None, repository: str | None, mission_id: str | None, task_id: str | None, as_json: bool) -> None:
    """List the checks of a repository, or those in effect for a mission or a task.

    ID is the id of a mission or a task.
    """
    if id is not None and any(each is not None for each in (repository, mission_id, task_id)):
        raise click.UsageError("Give an id, or one of --repository, --mission and --task.")
    if id is not None:
        mission_id, task_id = (None, id) if id.startswith("t_") else (id, None)
    scope = _scope(repository, mission_id, task_id)
    found = client.call("checks_list", scope)
    show_json(found) if as_json else _show(found, scope)


@checks.command("set")
@click.argument("commands", metavar="[COMMAND]...", nargs=-1)
@click.option("--file", "file", type=click.Path(path_type=Path), help="Read the checks from a TOML or JSON file.")
@click.option("--suggested", multiple=True, metavar="NAME", help="A check from 'mission checks suggest'.")
@click.option("--final", is_flag=True, help="Checks for the integrated result (mission only).")
@click.option("--from-repository", is_flag=True, help="Use the checks of the mission's repository.")
@click.option("--clear", is_flag=True, help="Remove all checks.")
@scope_options
@json_option
@report_errors
def set_(
    commands: tuple[str, ...],
    file: Path | None,
    suggested: tuple[str, ...],
    final: bool,
    from_repository: bool,
    clear: bool,
    repository: str | None,
    mission_id: str | None,
    task_id: str | None,
    as_json: bool,
) -> None:
    """Replace the checks of a repository, a mission or a task.

    Each COMMAND is a required check; exit code 0 passes. A file can have more: [[checks]] tables in TOML, or a list in
    JSON. The commands run with your current PATH.

    \b
    mission checks set "make test" "ruff check ."
    mission checks set --mission m_… --from-repository
    """
    scope = _scope(repository, mission_id, task_id)
    arguments: dict[str, Any] = {**scope, "path": os.environ.get("PATH")}
    named = suggested_definitions(suggested, repository=scope.get("repository_path") or str(Path.cwd()))
    given = [*commands, *named]
    if sum(map(bool, (given, file, from_repository, clear))) != 1:
        raise click.UsageError("Give commands, or one of --file, --suggested, --from-repository and --clear.")
    if from_repository:
        arguments["checks"] = "repository"
    elif file is not None:
        arguments |= _read(file, final=final)
    else:
        arguments["final_checks" if final else "checks"] = given
    found = client.call("checks_set", arguments)
    show_json(found) if as_json else _show(found, scope)


@checks.command()
@click.argument("task_id", type=TASK_ID, metavar="TASK")
@json_option
@report_errors
def run(task_id: str, as_json: bool) -> None:
    """Run the checks of a task on its own tree and wait for them. Exit code 1 if a required check does not pass."""
    client.call("task_checks", {"task_id": task_id, "run": True, "wait_seconds": 0})
    found = follow_checks(task_id, quiet=as_json)
    if as_json:
        show_json(found)
    else:
        _show_outcome(found)
    if any(check["required"] and check["state"] != EvidenceState.PASSED for check in found["checks"]):
        sys.exit(1)


def _scope(repository: str | None, mission_id: str | None, task_id: str | None) -> dict[str, Any]:
    """Return the arguments that name what the checks are for; the repository of the working directory by default."""
    if sum(each is not None for each in (repository, mission_id, task_id)) > 1:
        raise click.UsageError("Give only one of --repository, --mission and --task.")
    if mission_id is not None:
        return {"scope": "mission", "id": mission_id}
    if task_id is not None:
        return {"scope": "task", "id": task_id}
    return {"scope": "repository", "repository_path": str(Path(repository or ".").absolute())}


def _read(file: Path, *, final: bool) -> dict[str, Any]:
    """Return the checks of a file as arguments: a list, or an object with `checks`, `final_checks` or both."""
    try:
        text = file.read_text()
        content = tomllib.loads(text) if file.suffix == ".toml" else json.loads(text)
    except (ValueError, UnicodeDecodeError) as problem:
        kind = "TOML" if file.suffix == ".toml" else "JSON"
        raise InvalidInput(f"{file}: not valid {kind}: {problem}", hint=_FORMATS) from None
    if isinstance(content, list):
        return {"final_checks" if final else "checks": content}
    lists = {}
    if isinstance(content, dict):
        lists = {name: content[name] for name in ("checks", "final_checks") if name in content}
    if not lists or lists.keys() != content.keys() or not all(isinstance(each, list) for each in lists.values()):
        raise InvalidInput(f"{file} does not contain a list of checks", hint=_FORMATS)
    if final and "final_checks" not in lists:
        return {"final_checks": lists["checks"]}
    return lists


_FORMATS = 'Write [[checks]] tables with name and run in TOML, or {"checks": ["make test"]} in JSON.'


def _show(found: dict[str, Any], scope: dict[str, Any]) -> None:
    place = {"repository": scope.get("repository_path")}.get(found["scope"]) or _named(found["id"])
    say(f"Checks for {found['scope']} {place}", bold=True)
    if found["checks"]:
        _table(found["checks"], with_origin=found["scope"] != "repository")
    else:
        say(f"None. '{own_command()} checks suggest' finds some in a repository's files.")
    if found["final_checks"]:
        say("\nFinal checks, on the integrated result", bold=True)
        _table(found["final_checks"], with_origin=False)
    if any(check["approval"] == Approval.PENDING for check in found["checks"]):
        say(f"Commands from agents do not run until you approve them: '{own_command()} inbox'.", fg="yellow")
    if found["scope"] == "repository" and found["checks"]:
        say(f"A mission uses them after '{own_command()} checks set --mission m_… --from-repository'.")


def _named(id: str) -> str:
    return with_name(id, names_of([id]))


def _table(checks: list[dict[str, Any]], *, with_origin: bool) -> None:
    columns = ["NAME", "CHECK", "REQUIRED", "LIMIT", *(["FROM"] if with_origin else []), ""]
    rows = [
        [
            check["name"],
            judged(check["definition"]),
            "yes" if check["required"] else "no",
            seconds_words(float(check["definition"].get("seconds", 600))) if check["kind"] == "run" else "",
            *([check["origin"]] if with_origin else []),
            "" if check["approval"] == Approval.APPROVED else f"{check['approval']} approval",
        ]
        for check in checks
    ]
    if not any(row[-1] for row in rows):
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    show_table(columns, rows, empty="")


def _show_outcome(found: dict[str, Any]) -> None:
    if not found["checks"]:
        say(f"No checks are defined for {_named(found['task_id'])}. '{own_command()} checks suggest' finds some.")
        return
    for check in found["checks"]:
        if check["state"] == EvidenceState.PASSED:
            continue
        say(f"\n{check['name']}: {state_words(check)}", fg=STATE_COLORS.get(check["state"]), bold=True)
        if check["reason"]:
            say(f"  {check['reason']}")
        if check["output"]:
            say(last_lines(check["output"], count=20))
        if check["evidence_id"]:
            say(f"  full output: {own_command()} evidence show {check['evidence_id']} --output")
