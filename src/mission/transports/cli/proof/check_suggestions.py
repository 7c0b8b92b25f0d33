"""`mission checks suggest`: find checks in a repository's own files and try them."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import Any

import click

from mission.domain.checks.evidence import EvidenceState
from mission.domain.errors import InvalidInput
from mission.transports.cli import daemon_client as client
from mission.transports.cli.check_words import STATE_COLORS, last_lines, seconds_words
from mission.transports.cli.output import json_option, own_command, report_errors, say, show_json
from mission.transports.cli.tables import show_table

LONGEST_CHECK = 3700.0
"""How long one suggested check may take, with what is around it."""


@click.command()
@click.argument("path", metavar="[PATH]", required=False)
@click.option("--no-run", is_flag=True, help="Only read files; do not run anything.")
@click.option("--set", "keep", is_flag=True, help="Keep those that pass as the repository's checks.")
@json_option
@report_errors
def suggest(path: str | None, no_run: bool, keep: bool, as_json: bool) -> None:
    """Suggest checks from a repository's own files, run each once, and show which pass today."""
    if no_run and keep:
        raise click.UsageError("--set keeps the checks that pass, so they have to run: leave out --no-run.")
    repository = str(Path(path or ".").absolute())
    wanted = {"repository_path": repository, "path": os.environ.get("PATH")}
    found = client.call("checks_suggest", {**wanted, "run": False})
    if not no_run:
        found["checks"] = [_tried(each, wanted, place=place) for place, each in _numbered(found["checks"])]
    passing = [each for each in found["checks"] if each["state"] == EvidenceState.PASSED]
    if keep and passing:
        definitions = [each["definition"] for each in passing]
        arguments = {
            "scope": "repository",
            "repository_path": repository,
            "checks": definitions,
            "path": wanted["path"],
        }
        found["set"] = client.call("checks_set", arguments)["checks"]
    show_json(found) if as_json else _show_suggested(found, path, passing, ran=not no_run)


def suggested_definitions(names: tuple[str, ...], *, repository: str) -> list[dict[str, Any]]:
    """Return the complete definitions of suggestions, as the repository's files describe them now."""
    if not names:
        return []
    found = client.call("checks_suggest", {"repository_path": repository, "run": False})["checks"]
    known = {each["name"]: each["definition"] for each in found}
    for name in names:
        if name not in known:
            listed = f"The suggestions are: {', '.join(known)}." if known else "Give the command itself."
            raise InvalidInput(f"no suggestion is named '{name}'", hint=listed, field="suggested")
    return [known[name] for name in names]


def _numbered(suggestions: list[dict[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
    return [(f"{number} of {len(suggestions)}", each) for number, each in enumerate(suggestions, 1)]


def _tried(suggestion: dict[str, Any], wanted: dict[str, Any], *, place: str) -> dict[str, Any]:
    """Return a suggestion with what it did; on a terminal, say so while it runs."""
    talks = sys.stderr.isatty()
    if talks:
        click.echo(f"{place}: {suggestion['run']} … ", nl=False, err=True)
    arguments = {**wanted, "run": True, "names": [suggestion["name"]]}
    found = client.call("checks_suggest", arguments, timeout=LONGEST_CHECK)["checks"]
    done: dict[str, Any] = found[0] if found else suggestion
    if talks:
        click.secho(done["state"] or "gone", fg=STATE_COLORS.get(done["state"]), err=True)
    return done


def _show_suggested(found: dict[str, Any], path: str | None, passing: list[dict[str, Any]], *, ran: bool) -> None:
    if not found["checks"]:
        say("No checks found in its files.")
        say(f'Set a command yourself: {own_command()} checks set "make test"')
        return
    if not ran:
        rows = [(each["name"], each["run"], each["why"]) for each in found["checks"]]
        show_table(["NAME", "COMMAND", "WHY"], rows, empty="")
        return
    rows_ran = [
        (each["name"], each["run"], _today(each), seconds_words(each["seconds"]), each["why"])
        for each in found["checks"]
    ]
    show_table(["NAME", "COMMAND", "PASSES TODAY?", "TIME", "WHY"], rows_ran, empty="")
    for each in found["checks"]:
        if each["state"] != EvidenceState.PASSED and each["output"]:
            say(f"\n{each['name']}: {each['state']}", bold=True)
            say(last_lines(each["output"]))
    say()
    if not passing:
        say("None of them passes today, so none is worth keeping yet.")
    elif "set" in found:
        say(f"Kept: {', '.join(each['name'] for each in found['set'])}.")
        say(f"A mission uses them after '{own_command()} checks set --mission m_… --from-repository'.")
    else:
        names = " ".join(f"--suggested {shlex.quote(each['name'])}" for each in passing)
        where = f" --repository {shlex.quote(path)}" if path else ""
        say("Keep those that pass:")
        say(f"  {own_command()} checks set{where} {names}")


def _today(each: dict[str, Any]) -> str:
    return "yes" if each["state"] == EvidenceState.PASSED else f"no: {each['state']}"
