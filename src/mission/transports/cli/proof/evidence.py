"""`mission evidence`: list, show, export and verify the results of checks and their trees."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import click

from mission.domain.checks.evidence import UNFINISHED, EvidenceState
from mission.transports.cli import daemon_client as client
from mission.transports.cli.check_words import (
    STATE_COLORS,
    TREE_SHOWN,
    judged,
    seconds_words,
    state_words,
    test_words,
)
from mission.transports.cli.names import names_of, with_name
from mission.transports.cli.output import json_option, own_command, plain, report_errors, say, show_json
from mission.transports.cli.proof.attestations import export, verify
from mission.transports.cli.short_id import EVIDENCE_ID, MISSION_ID, TASK_ID
from mission.transports.cli.tables import show_table
from mission.transports.cli.times import ago

LOOK_SECONDS = 0.5


class ListByDefault(click.Group):
    """A group whose command `list` may be left out."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        named = args and (args[0] in self.commands or args[0] in ctx.help_option_names)
        return super().parse_args(ctx, args if named else ["list", *args])


@click.group(cls=ListByDefault)
def evidence() -> None:
    """List, show, export and verify evidence: the result of each check and the tree it ran on.

    'mission evidence --task t_…' is short for 'mission evidence list --task t_…'.
    """


evidence.add_command(export)
evidence.add_command(verify)


@evidence.command("list")
@click.option("--task", "task_id", type=TASK_ID, metavar="ID", help="Only evidence for this task.")
@click.option("--mission", "mission_id", type=MISSION_ID, metavar="ID", help="Only evidence for this mission.")
@click.option(
    "--state", multiple=True, type=click.Choice([str(each) for each in EvidenceState]), help="Filter by state."
)
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1, 500), help="How many to show.")
@json_option
@report_errors
def list_(task_id: str | None, mission_id: str | None, state: tuple[str, ...], limit: int, as_json: bool) -> None:
    """List evidence, newest first."""
    wanted: dict[str, Any] = {"task_id": task_id, "mission_id": mission_id, "state": list(state) or None}
    given = {name: value for name, value in wanted.items() if value is not None}
    found = client.call("evidence_list", {**given, "limit": limit})
    if as_json:
        show_json(found)
        return
    names = names_of(row["task_id"] for row in found["evidence"])
    rows = [[cell(row, names) for cell in _CELLS.values()] for row in found["evidence"]]
    empty = (
        "No matching evidence." if given else "No evidence yet. It appears when a task with checks is reported done."
    )
    show_table(list(_CELLS), rows, empty=empty, drop=["TREE", "ENDED", "TIME"])
    if found["next_cursor"] is not None:
        say(f"Only the newest {len(rows)} are shown; use --limit for more.")


@evidence.command()
@click.argument("evidence_id", type=EVIDENCE_ID, metavar="ID")
@click.option("--follow", "-f", is_flag=True, help="Follow the output while the check runs.")
@click.option("--output", "complete", is_flag=True, help="Print the complete output and nothing else.")
@json_option
@report_errors
def show(evidence_id: str, follow: bool, complete: bool, as_json: bool) -> None:
    """Show one piece of evidence with the end of its output."""
    found = client.call("evidence_get", {"id": evidence_id})
    if complete:
        found["output"] = _everything(found)
    if as_json:
        show_json(found)
    elif complete:
        click.echo(plain(found["output"]), nl=False)
    elif follow and found["state"] in UNFINISHED:
        _show_head(found)
        _follow(evidence_id)
    else:
        _show_head(found)
        _show_output(found)


def _show_head(found: dict[str, Any]) -> None:
    say(f"{found['name']}: {state_words(found)}", bold=True, fg=STATE_COLORS.get(found["state"]))
    about = with_name(found["task_id"], names_of([found["task_id"]])) if found["task_id"] else "the run"
    say(f"{found['id']} · {about}\n{judged(found['check'])}")
    facts = [seconds_words(found["seconds"]), test_words(found["tests"]), "" if found["required"] else "not required"]
    known = ", ".join(filter(None, facts))
    if known:
        say(known[0].upper() + known[1:])
    if found["tree"]:
        say(f"Tree: {found['tree']}")
    if found["reused_from"]:
        say(f"Reused from {found['reused_from']}")
    if found["reason"]:
        say(f"Reason: {found['reason']}", fg="yellow")
    for path in found["files"]:
        say(f"  {path}")


def _show_output(found: dict[str, Any]) -> None:
    text = found["output"].strip("\n")
    if not text:
        return
    more = found["output_bytes"] > len(text.encode()) + 2
    say(f"\nEnd of its output (in full: {own_command()} evidence show {found['id']} --output)" if more else "\nOutput")
    say(text)


def _everything(found: dict[str, Any]) -> str:
    """Return all that is stored of the output; reused evidence has that of the check that ran."""
    id = found["reused_from"] or found["id"]
    pieces: list[str] = []
    offset = 0
    while True:
        piece = client.call("evidence_output", {"id": id, "offset": offset})
        if piece["ended"]:
            return str(piece["text"] or "".join(pieces) or found["output"])
        pieces.append(piece["text"])
        if piece["next_offset"] == offset:
            return "".join(pieces)
        offset = piece["next_offset"]


def _follow(evidence_id: str) -> None:
    """Print output as it comes, until the check has ended."""
    printed, offset = "", 0
    while True:
        found = client.call("evidence_get", {"id": evidence_id})
        piece = client.call("evidence_output", {"id": evidence_id, "offset": offset})
        is_done = found["state"] not in UNFINISHED
        new = piece["text"]
        if piece["ended"]:
            new = new.removeprefix(printed) if is_done else ""
        click.echo(plain(new), nl=False)
        if is_done:
            say(f"\n{found['name']}: {state_words(found)}, {seconds_words(found['seconds'])}", bold=True)
            return
        if not piece["ended"]:
            printed, offset = printed + new, piece["next_offset"]
        if not new:
            time.sleep(LOOK_SECONDS)


_CELLS: dict[str, Callable[[dict[str, Any], dict[str, str]], Any]] = {
    "ID": lambda row, _: row["id"],
    "CHECK": lambda row, _: row["name"],
    "STATE": lambda row, _: state_words(row),
    "TASK": lambda row, names: names.get(row["task_id"], row["task_id"]) if row["task_id"] else "the run",
    "TIME": lambda row, _: seconds_words(row["seconds"]),
    "ENDED": lambda row, _: ago(row["ended_at"] or row["created_at"]),
    "TREE": lambda row, _: (row["tree"] or "")[:TREE_SHOWN],
}
