"""`mission executions`, `message` and `stop`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from mission.domain.display_status import execution_label
from mission.domain.executions.execution import LIVE, ExecutionStatus, OperatorMessageKind
from mission.domain.executions.marker_words import signal_words
from mission.transports.cli import daemon_client as client
from mission.transports.cli.names import names_of
from mission.transports.cli.output import json_option, report_errors, say, show_json
from mission.transports.cli.runs.steering import named, steered_words
from mission.transports.cli.short_id import EXECUTION_ID, EXECUTION_OR_RUN_ID, TASK_ID
from mission.transports.cli.tables import show_table
from mission.transports.cli.times import ago, clock, span

LAST_OBSERVATIONS = 10


@click.command()
@click.argument("execution_id", type=EXECUTION_ID, metavar="[ID]", required=False)
@click.option("--all", "everything", is_flag=True, help="Include ended ones.")
@click.option("--task", "task_id", type=TASK_ID, metavar="ID", help="Only executions for this task.")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1, 500), help="How many to show.")
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
    found = client.call("overview_executions", wanted)
    if as_json:
        show_json(found)
        return
    _show_list(
        found, empty="No executions yet." if everything or task_id else "Nothing is running. --all includes ended ones."
    )


@click.command()
@click.argument("execution_id", type=EXECUTION_ID, metavar="ID")
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
@click.argument("execution_id", type=EXECUTION_OR_RUN_ID, metavar="ID")
@json_option
@report_errors
def stop(execution_id: str, as_json: bool) -> None:
    """Stop a launched agent and every process it started (SIGTERM, then SIGKILL).

    ID is x_… for one agent, or run_… or m_… for a run with all its agents.
    """
    if execution_id.startswith(("run_", "m_")):
        stopped = client.call("run_stop", named(execution_id))
        show_json(stopped) if as_json else say(steered_words(stopped))
        return
    found = client.call("execution_stop", {"id": execution_id})
    if as_json:
        show_json(found)
        return
    agent = names_of([found["agent_id"]]).get(found["agent_id"], found["adapter"])
    say(f"{agent} ({execution_id}): {execution_state(found)}.")


def _show_list(found: dict[str, Any], *, empty: str) -> None:
    rows = [
        (
            row["id"],
            row["agent_name"],
            execution_state(row),
            row["task_name"],
            last_note(row),
            ago(row["updated_at"]),
        )
        for row in found["executions"]
    ]
    columns = ["ID", "AGENT", "STATE", "TASK", "LAST NOTE", "ACTIVE"]
    show_table(columns, rows, empty=empty, drop=["ACTIVE", "LAST NOTE", "TASK"])
    if found["next_cursor"] is not None:
        say(f"Only the newest {len(rows)} are shown. Use --limit for more.")


def last_note(row: Mapping[str, Any]) -> str:
    """Return what an execution asks, or else what it said last."""
    if row["question"]:
        return f"? {row['question']}"
    return str((row["progress"] or row["claim"] or {}).get("summary") or row["reason"] or "")


def _question(execution: dict[str, Any]) -> str | None:
    """Return what an execution waits for."""
    if execution["status"] != ExecutionStatus.WAITING:
        return None
    items = client.call("queue_list", {"task_id": execution["task_id"]})["items"]
    return next((item["subject"] for item in items if item["execution_id"] == execution["id"]), None)


def _show(found: dict[str, Any], observations: list[dict[str, Any]]) -> None:
    say(f"{found['agent_name']} on '{found['task_name']}'", bold=True)
    say(f"{found['id']} · {found['adapter']} · {found['mode']} · {execution_state(found)}{_times(found)}")
    question = _question(found)
    if question:
        say(f"Asks: {question}", fg="yellow")
    say(f"Task:   {found['task_name']} ({found['task_id']})")
    say(f"Agent:  {found['agent_name']} ({found['agent_id']}), signals by {found['transport']['selected']}")
    if found["directory"]:
        say(f"Folder: {found['directory']}")
    if found["usage"]:
        say(f"Used:   {usage_words(found['usage'])}")
    if found["reason"]:
        say(f"Reason: {found['reason']}", fg="yellow")
    if observations:
        say("\nLast signals")
    for row in reversed(observations):
        say(f"  {clock(row['created_at'])}  {signal_words(row['type'], row['payload'])}")


def _times(execution: dict[str, Any]) -> str:
    if execution["duration_seconds"] is not None and execution["ended_at"]:
        return f" after {span(execution['duration_seconds'])}"
    return f", started {ago(execution['started_at'])}" if execution["started_at"] else ""


def usage_words(usage: dict[str, Any]) -> str:
    """Return tokens and cost, as far as the client reports them."""
    tokens = sum(usage.get(name) or 0 for name in ("input_tokens", "output_tokens"))
    parts = [f"{tokens:,} tokens"] if tokens else []
    if usage.get("cost_usd") is not None:
        parts.append(f"{usage['cost_usd']:.2f} USD")
    return ", ".join(parts) or ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in usage.items())


def execution_state(execution: Mapping[str, Any]) -> str:
    """Return the label of an execution's state."""
    return execution_label(execution["status"], exit_code=execution["exit_code"])
