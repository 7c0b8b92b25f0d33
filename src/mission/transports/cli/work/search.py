"""`mission search`."""

from __future__ import annotations

from typing import Any

import click

from mission.domain.search_text import DocumentKind
from mission.transports.cli import daemon_client as client
from mission.transports.cli.names import names_of, with_name
from mission.transports.cli.output import json_option, report_errors, say, show_json
from mission.transports.cli.short_id import MISSION_ID
from mission.transports.cli.times import ago


class SearchCommand(click.Command):
    """A command whose words may start with a dash, and which accepts -h only as the single argument."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        own = args.index("--") if "--" in args else len(args)
        return super().parse_args(ctx, ["--help" if word == "-h" else word for word in args[:own]] + args[own:])


@click.command(cls=SearchCommand, context_settings={"ignore_unknown_options": True, "help_option_names": ["--help"]})
@click.argument("words", nargs=-1, required=True)
@click.option("--kind", multiple=True, type=click.Choice([str(kind) for kind in DocumentKind]), help="Filter by kind.")
@click.option("--mission", "mission_id", type=MISSION_ID, metavar="ID", help="Only in this mission.")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1, 100), help="How many to show.")
@click.option("--offset", default=0, type=click.IntRange(min=0), help="How many to skip.")
@json_option
@report_errors
def search(
    words: tuple[str, ...], kind: tuple[str, ...], mission_id: str | None, limit: int, offset: int, as_json: bool
) -> None:
    """Search missions, tasks, journal entries and messages for all WORDS or prefixes."""
    arguments: dict[str, Any] = {"query": " ".join(words), "limit": limit, "offset": offset}
    if kind:
        arguments["kind"] = list(kind)
    if mission_id is not None:
        arguments["workflow_id"] = mission_id
    found = client.call("search", arguments)
    if as_json:
        show_json(found)
        return
    names = names_of(row["task_id"] or row["workflow_id"] for row in found["results"])
    for row in found["results"]:
        _show(row, names)
    if not found["results"]:
        say("No results.")
    if not found["complete"]:
        say("The index is still being built; results may be incomplete.")
    if found["next_offset"] is not None:
        say(f"… {found['total'] - found['next_offset']} more; use --offset {found['next_offset']}")


def _show(row: dict[str, Any], names: dict[str, str]) -> None:
    say(f"{row['id']}  {row['title']}", bold=True)
    place = row["task_id"] or row["workflow_id"]
    inside = with_name(place, names) if place and place != row["id"] else None
    facts = [f"{row['kind']}, {row['type']}", inside, row["author"], ago(row["at"])]
    say(f"  {' · '.join(fact for fact in facts if fact)}")
    if row["snippet"] != row["title"]:
        say(f"  {row['snippet']}")
