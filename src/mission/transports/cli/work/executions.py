"""`mission executions`, `message` and `stop`."""

from __future__ import annotations

from typing import Any

import click

from mission.domain.display_status import execution_label
from mission.domain.executions.execution import LIVE, ExecutionStatus, OperatorMessageKind
from mission.domain.inbox.item import HOLDING
from mission.transports.cli import daemon_client as client
from mission.transports.cli.output import ago, json_option, report_errors, say, show_json, show_table
from mission.transports.cli.runs.steering import named
from mission.transports.cli.short_id import whole_id

LAST_OBSERVATIONS = 10


@click.command()
@click.argument("execution_id", type=whole_id, metavar="[ID]", required=False)
@click.option("--all", "everything", is_flag=True, help="Include ended ones.")
@click.option("--task", "task_id", type=whole_id, metavar="ID", help="Only executions for this task.")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1, 500))
@json_option
@report_errors
def executions(execution_id: str | None, everything: bool, task_id: str | None, limit: int, as_json: bool) -> None:
    """List launched agents, newest first; with an ID, show that one and its last observations."""
    if execution_id is not None:
        found = client.call("execution_get", {"id": execution_id})
        said = client.call("execution_observations", {"execution_id": execution_id, "limit": LAST_OBSERVATIONS})
        show_json({**found, **said}) if as_json else _show(found, said["observations"])
        return
    wanted: dict[str, Any] = {"limit": limit}
    if not (everything or task_id):
        wanted["status"] = [str(status) for status in LIVE]
    if task_id:
        wanted["task_id"] = task_id
    found = client.call("execution_list", wanted)
    if as_json:
        show_json(found)
        return
    questions = _questions(found["executions"])
    rows = [
        (
            row["id"],
            row["adapter"],
            _label(row),
            row["task_id"],
            questions.get(row["id"]) or (row["progress"] or row["claim"] or {}).get("summary") or row["reason"],
            ago(row["updated_at"]),
        )
        for row in found["executions"]
    ]
    empty = "No executions yet." if everything or task_id else "Nothing is running; --all includes ended ones."
    show_table(["ID", "ADAPTER", "STATUS", "TASK", "LAST NOTE", "ACTIVE"], rows, empty=empty)
    if found["next_cursor"] is not None:
        say(f"Only the newest {len(rows)} are shown; use --limit for more.")


@click.command()
@click.argument("execution_id", type=whole_id, metavar="ID")
@click.argument("words", nargs=-1, required=True)
@json_option
@report_errors
def message(execution_id: str, words: tuple[str, ...], as_json: bool) -> None:
    """Send a launched agent a command (interrupt, checkpoint, nudge, resume) or any text."""
    kinds = {str(kind) for kind in OperatorMessageKind if kind is not OperatorMessageKind.TEXT}
    wanted: dict[str, Any] = {"execution_id": execution_id}
    wanted |= {"kind": words[0]} if len(words) == 1 and words[0] in kinds else {"text": " ".join(words)}
    found = client.call("execution_message", wanted)
    show_json(found) if as_json else say(f"Sent {found['kind']} to {execution_id}.")


@click.command()
@click.argument("execution_id", type=whole_id, metavar="ID")
@json_option
@report_errors
def stop(execution_id: str, as_json: bool) -> None:
    """Stop a launched agent and every process it started (SIGTERM, then SIGKILL).

    ID is x_… for one agent, or run_… or m_… for a run with all its agents.
    """
    if execution_id.startswith(("run_", "m_")):
        stopped = client.call("run_stop", named(execution_id))
        show_json(stopped) if as_json else say(f"{stopped['run_id']} is {stopped['state']}.")
        return
    found = client.call("execution_stop", {"id": execution_id})
    show_json(found) if as_json else say(f"{execution_id} is {found['status']}.")


def _questions(executions: list[dict[str, Any]]) -> dict[str, str]:
    """Return the last question of each waiting agent, by execution."""
    if not any(row["status"] == ExecutionStatus.WAITING for row in executions):
        return {}
    wanted = {"kind": sorted(map(str, HOLDING))}
    asked = client.call_every_page("queue_list", wanted, rows="items", limit=500)["items"]
    asked.sort(key=lambda item: item["created_at"])
    return {item["execution_id"]: item["subject"] for item in asked if item["execution_id"]}


def _show(found: dict[str, Any], observations: list[dict[str, Any]]) -> None:
    say(f"{found['agent_name']} on '{found['task_name']}'", bold=True)
    say(f"{found['id']} · {found['adapter']} · {found['mode']} · {_label(found)}")
    say(f"task {found['task_id']} · agent {found['agent_id']} · signals by {found['transport']['selected']}")
    if found["directory"]:
        say(f"in {found['directory']}")
    if found["usage"]:
        say("used " + ", ".join(f"{name.replace('_', ' ')} {value:g}" for name, value in found["usage"].items()))
    if found["reason"]:
        say(found["reason"], fg="yellow")
    for row in reversed(observations):
        say(f"  {ago(row['created_at'])}: {row['type']}: {_words(row['payload'])}")


def _label(execution: dict[str, Any]) -> str:
    return execution_label(execution["status"], exit_code=execution["exit_code"])


def _words(payload: dict[str, Any]) -> str:
    for name in ("summary", "question", "reason", "text", "detail"):
        if payload.get(name):
            return str(payload[name])
    return ""
