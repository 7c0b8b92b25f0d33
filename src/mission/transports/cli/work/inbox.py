"""`mission inbox`, `mission answer` and `mission dismiss`."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from operator import itemgetter
from typing import Any

import click

from mission.domain.inbox.item import ItemState
from mission.domain.plural import counted
from mission.transports.bridge.daemon_process import DaemonUnavailable
from mission.transports.cli import daemon_client as client
from mission.transports.cli.names import names_of, with_name
from mission.transports.cli.output import json_option, own_command, report_errors, say, show_json
from mission.transports.cli.short_id import ITEM_ID
from mission.transports.cli.tables import show_table
from mission.transports.cli.times import ago, clock

LOOK_SECONDS = 1.0


@click.command()
@click.argument("item_id", type=ITEM_ID, metavar="[ID]", required=False)
@click.option("--all", "everything", is_flag=True, help="Include answered and dismissed items, newest first.")
@click.option("--watch", "-w", is_flag=True, help="Keep printing new items.")
@json_option
@report_errors
def inbox(item_id: str | None, everything: bool, watch: bool, as_json: bool) -> None:
    """Show your inbox, starting with what blocks the most work; with an ID, show that item in full."""
    if item_id is not None:
        found = client.call("queue_get", {"id": item_id})
        show_json(found) if as_json else _show(found)
        return
    wanted: dict[str, Any] = {"state": [str(state) for state in ItemState]} if everything else {}
    found = client.call("queue_list", wanted)
    if watch:
        _watch(found["items"], as_json=as_json)
    elif as_json:
        show_json(found)
    else:
        _table(found, everything=everything)


@click.command()
@click.argument("item_id", type=ITEM_ID, metavar="ID")
@click.argument("text", nargs=-1)
@click.option("--choice", "-c", type=click.IntRange(1), help="Number of the choice, from 1.")
@json_option
@report_errors
def answer(item_id: str, text: tuple[str, ...], choice: int | None, as_json: bool) -> None:
    """Answer an item with text, a choice, or both.

    The agent gets the answer in its mailbox and in the task's journal; a blocked task resumes.
    """
    arguments: dict[str, Any] = {"id": item_id, "text": " ".join(text)}
    if choice is not None:
        arguments["choice"] = choice
    done = client.call("queue_answer", arguments)
    if as_json:
        show_json(done)
        return
    say(f"Answered {done['id']}: {done['answer']}")
    if done["follow_up_task_id"]:
        added = with_name(done["follow_up_task_id"], names_of([done["follow_up_task_id"]]))
        say(f"Added a task for the missing work: {added}")


@click.command()
@click.argument("item_id", type=ITEM_ID, metavar="ID")
@click.option("--reason", help="The reason, shown with the item.")
@json_option
@report_errors
def dismiss(item_id: str, reason: str | None, as_json: bool) -> None:
    """Dismiss an item without an answer; a blocked task resumes."""
    done = client.call("queue_dismiss", {"id": item_id, "reason": reason} if reason else {"id": item_id})
    if as_json:
        show_json(done)
    else:
        say(f"Dismissed {done['id']}.")


def _table(found: dict[str, Any], *, everything: bool) -> None:
    columns = [column for column in _CELLS if everything or column != "STATE"]
    rows = [[_CELLS[column](item) for column in columns] for item in found["items"]]
    empty = "Nothing has been in your inbox yet." if everything else "Your inbox is empty."
    show_table(columns, rows, empty=empty, drop=["TASK", "FROM", "BLOCKS", "SINCE"])
    if found["total"] > len(rows):
        say(f"{len(rows)} of {found['total']} are shown; 'mission open' shows the rest.")


def _show(item: dict[str, Any]) -> None:
    say(item["subject"], bold=True)
    say(f"{item['id']} · {item['kind']} · {item['state']} · {ago(item['created_at'])}")
    for label, key in (("Mission", "mission"), ("Task", "task"), ("From", "agent")):
        if item[f"{key}_id"]:
            name, id = item[f"{key}_name"], item[f"{key}_id"]
            say(f"{label}: {name} ({id})" if name else f"{label}: {id}")
    if _blocks(item):
        say(f"Blocks: {_blocks(item)}")
    if item["body"] and item["body"] != item["subject"]:
        say(f"\n{item['body']}\n")
    for number, choice in enumerate(item["choices"], 1):
        say(f"  {number}  {choice['label']}{' …' if choice.get('kind') == 'manual' else ''}")
    if item["answer"]:
        say(f"Answer: {item['answer']} ({item['closed_by']})")
    elif item["state"] == ItemState.OPEN:
        words = "--choice 1" if item["choices"] else '"Your answer"'
        say(f"\nAnswer it: {own_command()} answer {item['id']} {words}")


def _watch(items: list[dict[str, Any]], *, as_json: bool) -> None:
    seen: set[str] = set()
    while True:
        for item in sorted(items, key=lambda item: item["created_at"]):
            if item["id"] not in seen:
                click.echo(json.dumps(item, ensure_ascii=False)) if as_json else say(_line(item))
            seen.add(item["id"])
        time.sleep(LOOK_SECONDS)
        try:
            items = client.call("queue_list", {}, start=False)["items"]
        except DaemonUnavailable:
            items = []  # it may come back; watching does not start it


def _line(item: dict[str, Any]) -> str:
    sender = f" ({item['agent_name']})" if item["agent_name"] else ""
    return f"{clock(item['created_at'])}  {item['id']}  {item['kind']:<10} {_subject(item)}{sender}"


def _subject(item: dict[str, Any]) -> str:
    return f"{item['subject']} (× {item['count']})" if item["count"] > 1 else str(item["subject"])


def _blocks(item: dict[str, Any]) -> str | None:
    counts = ((item["holds_tasks"], "task"), (item["holds_agents"], "agent"))
    parts = [counted(number, word) for number, word in counts if number]
    return ", ".join(parts) or None


_CELLS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "ID": itemgetter("id"),
    "KIND": itemgetter("kind"),
    "WHAT": _subject,
    "FROM": lambda item: item["agent_name"] or item["agent_id"],
    "TASK": lambda item: item["task_name"] or item["task_id"],
    "BLOCKS": _blocks,
    "SINCE": lambda item: ago(item["created_at"]),
    "STATE": itemgetter("state"),
}
