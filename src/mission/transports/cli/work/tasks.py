"""`mission tasks`."""

from __future__ import annotations

from typing import Any

import click

from mission.domain.checks.evidence import ProofState
from mission.domain.display_status import DONE_WORDS, FAILING_LABEL, TASK_ALIASES, TASK_LABELS
from mission.domain.errors import InvalidInput, NotFound
from mission.domain.missions.mission import ENDED, MissionStatus
from mission.domain.plural import counted
from mission.transports.bridge.daemon_process import ToolFailed
from mission.transports.cli import daemon_client as client
from mission.transports.cli.output import json_option, report_errors, say, show_json
from mission.transports.cli.short_id import MISSION_ID
from mission.transports.cli.tables import show_table

OPEN = sorted(str(status) for status in MissionStatus if status not in ENDED)
NO_MISSION_HERE = frozenset({NotFound.code, InvalidInput.code})
"""Errors for a folder without an open mission or outside a repository."""
_ENDED = frozenset({*DONE_WORDS, "failed", "skipped"})


@click.command()
@click.argument("mission_id", type=MISSION_ID, metavar="[MISSION]", required=False)
@click.option(
    "--status",
    multiple=True,
    type=click.Choice([*TASK_LABELS, *TASK_ALIASES, ProofState.FAILING], case_sensitive=False),
    help="Filter by status.",
)
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1, 10_000), help="Tasks to show.")
@click.option("--all", "everything", is_flag=True, help="Show every task.")
@json_option
@report_errors
def tasks(mission_id: str | None, status: tuple[str, ...], limit: int, everything: bool, as_json: bool) -> None:
    """List the tasks of a mission in plan order.

    Without MISSION: the newest open mission of the current repository, or else all open missions.
    """
    words = {word for given in status for word in TASK_ALIASES.get(given, (given,))}
    missions = [read_plan(id) for id in _chosen(mission_id)]
    found = [
        {"mission_id": mission["id"], "mission_name": mission["name"], **task}
        for mission in missions
        for task in mission["tasks"]
        if not words or task["state"] in words or (is_failing(task) and ProofState.FAILING in words)
    ]
    shown = found if everything else found[:limit]
    if as_json:
        show_json({"tasks": shown, "total": len(found)})
        return
    if len(missions) == 1:
        (mission,) = missions
        say(f"{mission['name']} · {mission['id']}", bold=True)
    _show(shown, with_mission=len(missions) > 1, empty="No matching tasks." if status else "No tasks yet.")
    if len(found) > len(shown):
        say(f"… {len(found) - len(shown)} more; use --all to show every task")


def _chosen(mission_id: str | None) -> list[str]:
    if mission_id is not None:
        return [mission_id]
    try:
        return [str(client.call("get_context", {"include": ["phase_summary"]})["mission_id"])]
    except ToolFailed as failed:
        if failed.error["code"] not in NO_MISSION_HERE:
            raise
    found = client.call_every_page("overview_missions", {"status": OPEN}, rows="missions", limit=500)
    return [mission["id"] for mission in found["missions"]]


def read_plan(mission_id: str) -> dict[str, Any]:
    """Return id and name of a mission and its tasks in plan order, with their states as on the page.

    A worker may not use the page's tools: it reads them with workflow_get, without agent names.
    """
    found = client.call_if_allowed("overview_mission", {"mission_id": mission_id})
    if found is not None:
        return {**{name: found[name] for name in ("id", "name", "tasks")}, "with_names": True}
    wanted = {"id": mission_id, "include_tasks": True, "include_task_summaries": False}
    page = client.call("workflow_get", wanted)
    rows = page["tasks"]
    while page.get("next_offset") is not None:
        page = client.call("workflow_get", {**wanted, "offset": page["next_offset"]})
        rows += page["tasks"]
    tasks = [_as_on_page(row) for row in rows]
    return {"id": mission_id, "name": page["name"], "tasks": tasks, "with_names": False}


def _as_on_page(row: dict[str, Any]) -> dict[str, Any]:
    same = {name: row[name] for name in ("id", "name", "state", "failed_attempts")}
    return {**same, "phase": row["sequence"], "agent_id": row["assigned_agent_id"], "agent": None}


def state_label(task: dict[str, Any]) -> str:
    """Return a task's state as people read it, whether its checks fail, and the number of failed attempts."""
    failing = FAILING_LABEL if is_failing(task) else ""
    return " · ".join(filter(None, (TASK_LABELS[task["state"]], failing, failed_words(task["failed_attempts"]))))


def is_failing(task: dict[str, Any]) -> bool:
    """Return whether the task is not completed and its required checks failed last time."""
    known = task.get("proof_state") or (task.get("evidence") or {}).get("state")
    return known == ProofState.FAILING and task["state"] not in _ENDED


def failed_words(attempts: int) -> str:
    return counted(attempts, "failed attempt") if attempts else ""


def _show(found: list[dict[str, Any]], *, with_mission: bool, empty: str) -> None:
    columns = ["TASK", "PHASE", "NAME", "STATE", "AGENT"]
    rows = [[row["id"], row["phase"], row["name"], state_label(row), row["agent"] or row["agent_id"]] for row in found]
    if with_mission:
        columns.append("MISSION")
        for cells, row in zip(rows, found, strict=True):
            cells.append(row["mission_name"])
    show_table(columns, rows, empty=empty, drop=["PHASE", "AGENT", "MISSION"])
