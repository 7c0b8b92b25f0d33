"""`mission review` and `mission accept`: judge a reported task."""

from __future__ import annotations

import sys
from typing import Any

import click

from mission.domain.errors import InvalidState
from mission.domain.inbox.item import is_approval
from mission.domain.tasks.changes import Changes, verify_scope
from mission.transports.cli import daemon_client as client
from mission.transports.cli.check_words import evidence_lines
from mission.transports.cli.names import names_of, with_name
from mission.transports.cli.output import json_option, own_command, plain, report_errors, say, show_json
from mission.transports.cli.proof.check_progress import follow_checks
from mission.transports.cli.short_id import TASK_ID
from mission.transports.cli.tables import show_table
from mission.transports.cli.times import ago
from mission.transports.cli.work.shell import open_shell
from mission.transports.cli.work.tasks import state_label

MAX_ITEMS = 500
QUESTION = "(a)pprove, send (b)ack, a(c)cept with a reason, (s)kip the task, (t)ake over in a shell, (l)eave it"
_LINE_COLORS = {"+": "green", "-": "red", "@": "cyan"}


@click.command()
@click.argument("task_id", type=TASK_ID, metavar="[TASK]", required=False)
@click.option("--approve", is_flag=True, help="Approve it and complete the task.")
@click.option("--send-back", metavar="TEXT", help="Send it back to its agent and say what is missing.")
@click.option("--accept", "reason", metavar="REASON", help="Accept it even though its checks did not pass.")
@click.option("--skip", is_flag=True, help="Skip the task.")
@click.option("--no-diff", is_flag=True, help="Do not show the changed lines.")
@json_option
@report_errors
def review(
    task_id: str | None,
    approve: bool,
    send_back: str | None,
    reason: str | None,
    skip: bool,
    no_diff: bool,
    as_json: bool,
) -> None:
    """Review a reported task: goal, evidence, files and lines, then your verdict.

    Without TASK, list the tasks that are waiting for your review.
    """
    given = [name for name, value in (("a", approve), ("b", send_back), ("c", reason), ("s", skip)) if value]
    if len(given) > 1:
        raise click.UsageError("Give only one of --approve, --send-back, --accept and --skip.")
    if task_id is None:
        if given:
            raise click.UsageError("Give the task.")
        _list(as_json=as_json)
    elif given:
        _decide(task_id, given[0], words=send_back or reason, as_json=as_json)
    else:
        found = _read(task_id, with_diff=not no_diff)
        if as_json:
            show_json(found)
            return
        _show(found)
        _ask(found)


@click.command()
@click.argument("task_id", type=TASK_ID, metavar="TASK")
@click.option("--reason", required=True, help="Why it is accepted; kept with the task.")
@json_option
@report_errors
def accept(task_id: str, reason: str, as_json: bool) -> None:
    """Complete a task even though its checks did not pass. The reason is shown wherever the task appears."""
    _decide(task_id, "c", words=reason, as_json=as_json)


def _list(*, as_json: bool) -> None:
    found = client.call("queue_list", {"kind": ["review"], "limit": MAX_ITEMS})
    if as_json:
        show_json(found)
        return
    rows = [
        (item["task_id"], item["task_name"], item["mission_name"], _why(item), ago(item["created_at"]))
        for item in found["items"]
    ]
    columns = ["TASK", "NAME", "MISSION", "WHY", "SINCE"]
    show_table(columns, rows, empty="Nothing is waiting for your review.", drop=["MISSION", "SINCE", "WHY"])
    if rows:
        say(f"'{own_command()} review t_…' shows one.")


def _why(item: dict[str, Any]) -> str:
    """Return why a task is reviewed: the last thing its item says, or its subject."""
    said = [line for line in (item.get("body") or "").splitlines() if line.strip()]
    return said[-1] if said and not _title(item, item["task_name"]) else str(item["subject"])


def _title(item: dict[str, Any], name: str) -> str:
    """Return the subject of a review if it says more than the name of the task."""
    return "" if item["subject"] == f"Review: {name}" else str(item["subject"])


def _read(task_id: str, *, with_diff: bool) -> dict[str, Any]:
    """Return everything a reviewer needs: the task, its open review, files outside its areas, and the lines."""
    task = client.call("task_get", {"id": task_id})
    story = client.call("overview_task", {"task_id": task_id})
    files = client.call("overview_files", {"task_id": task_id})
    lines = {}
    if with_diff:
        for file in files["files"]:
            lines[file["path"]] = client.call("overview_diff", {"task_id": task_id, "path": file["path"]})["patch"]
    return {
        "task": task,
        "item": _open_item(task_id),
        "areas": story["areas"],
        "unexpected_files": _unexpected(files["files"], story["areas"]),
        "files": files["files"],
        "files_known": files["known"],
        "diff": lines,
    }


def _open_item(task_id: str) -> dict[str, Any] | None:
    """Return the open review of a task, in full."""
    items = client.call("queue_list", {"task_id": task_id, "kind": ["review"]})["items"]
    return client.call("queue_get", {"id": items[0]["id"]}) if items else None


def _unexpected(files: list[dict[str, Any]], areas: list[str]) -> list[str]:
    return list(verify_scope(Changes(modified=[file["path"] for file in files]), areas).unexpected_files)


def _show(found: dict[str, Any]) -> None:
    task, item = found["task"], found["item"]
    say(task["name"], bold=True)
    mission = with_name(task["workflow_id"], names_of([task["workflow_id"]]))
    say(f"{task['id']} · {state_label(task)} · {mission}")
    say(f"Goal:     {task['description']}")
    for text in task.get("acceptance") or ():
        say(f"  must be true: {text}")
    if task["outcome"]:
        say(f"Reported: {task['outcome']}")
    if item is not None:
        say(f"Review:   {_title(item, task['name'])}".rstrip(), fg="yellow")
        if item["body"] and item["body"] != item["subject"]:
            say(f"  {item['body']}".replace("\n\n", "\n").replace("\n", "\n  "))
    _show_evidence(task.get("evidence"))
    _show_files(found)
    for path, patch in found["diff"].items():
        say(f"\n{path}", bold=True)
        for line in plain(patch).splitlines():
            click.secho(line, fg=_LINE_COLORS.get(line[:1]))


def _show_files(found: dict[str, Any]) -> None:
    if not found["files"]:
        say("\nNo files changed" if found["files_known"] else "\nChanged files are unknown")
        return
    say("\nFiles")
    for file in found["files"]:
        if file["path"] in found["unexpected_files"]:
            say(f"  {file['how']} {file['path']} (outside its areas)", fg="yellow")
        else:
            say(f"  {file['how']} {file['path']}")


def _show_evidence(evidence: dict[str, Any] | None) -> None:
    if evidence is None:
        say("\nNo evidence: nothing was checked")
        return
    say(f"\nEvidence: {evidence['state']}")
    for line in evidence_lines(evidence):
        say(line)
    for flag in evidence["flags"]:
        say(f"  {flag}", fg="yellow")


def _ask(found: dict[str, Any]) -> None:
    """Ask for a verdict on a terminal; otherwise name the commands that give one."""
    task = found["task"]
    say()
    if found["item"] is None and task["status"] in {"completed", "skipped"}:
        say("Nothing to decide: the task has ended.")
    elif not (sys.stdin.isatty() and sys.stdout.isatty()):
        words = "--accept REASON or --skip"
        if found["item"] is not None:
            words = f"--approve, --send-back TEXT, {words}"
        say(f"Decide with '{own_command()} review {task['id']}' and {words}.")
    else:
        _interact(task["id"])


def _interact(task_id: str) -> None:
    while True:
        chosen = click.prompt(QUESTION, type=click.Choice(list("abcstl")), show_choices=False)
        if chosen == "l":
            return
        if chosen == "t":
            open_shell(task_id)
            continue
        words = None
        if chosen in "bc":
            words = click.prompt("What is missing?" if chosen == "b" else "Why do you accept it?")
        _decide(task_id, chosen, words=words, as_json=False)
        return


def _decide(task_id: str, verdict: str, *, words: str | None, as_json: bool) -> None:
    """Give the verdict and print the task's new state."""
    if verdict == "c":
        done = client.call("task_accept", {"task_id": task_id, "reason": words})
        result = "Accepted"
    elif verdict == "s":
        done = client.call("task_update_status", {"id": task_id, "status": "skipped"})
        result = "Skipped"
    else:
        done = _answer(task_id, approves=verdict == "a", words=words)
        result = "Approved" if verdict == "a" else "Sent back"
    if as_json:
        show_json(done)
        return
    task = client.call("task_get", {"id": task_id})
    if task["state"] == "checking":  # an approved result is compared with its evidence once more
        follow_checks(task_id, quiet=True)
        task = client.call("task_get", {"id": task_id})
    say(f"{result}: '{task['name']}' is now: {state_label(task)}.")
    if done.get("follow_up_task_id"):
        added = with_name(done["follow_up_task_id"], names_of([done["follow_up_task_id"]]))
        say(f"Added a task for the missing work: {added}")


def _answer(task_id: str, *, approves: bool, words: str | None) -> dict[str, Any]:
    item = _open_item(task_id)
    if item is None:
        raise InvalidState(
            f"task {task_id} has no open review",
            hint=f"'{own_command()} review' lists open reviews; '{own_command()} accept' completes a task without one.",
        )
    number = [is_approval(each) for each in item["choices"]].index(approves) + 1
    return client.call("queue_answer", {"id": item["id"], "choice": number, "text": words or ""})
