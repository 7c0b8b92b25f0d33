"""`mission workspaces`."""

from __future__ import annotations

from typing import Any

import click

from mission.domain.plural import counted
from mission.domain.tasks.workspace import WorkspaceStatus
from mission.transports.cli import daemon_client as client
from mission.transports.cli.output import json_option, report_errors, show_json
from mission.transports.cli.short_id import MISSION_ID
from mission.transports.cli.tables import show_table


@click.command()
@click.option("--mission", type=MISSION_ID, metavar="ID", help="Only workspaces of this mission.")
@click.option(
    "--status", multiple=True, type=click.Choice([str(each) for each in WorkspaceStatus]), help="Filter by status."
)
@click.option("--all", "everything", is_flag=True, help="Include removed worktrees.")
@json_option
@report_errors
def workspaces(mission: str | None, status: tuple[str, ...], everything: bool, as_json: bool) -> None:
    """List workspaces, newest first, with distance from their base and uncommitted files."""
    arguments: dict[str, Any] = {"include_state": True, "include_removed": everything}
    if mission is not None:
        arguments["workflow_id"] = mission
    if status:
        arguments["status"] = list(status)
    found = client.call_every_page("workspace_list", arguments, rows="workspaces", limit=100)
    if as_json:
        show_json(found)
        return
    rows = [
        (row["id"], _state(row), *_distance(row), _dirt(row), row["branch"], row["path"]) for row in found["workspaces"]
    ]
    show_table(
        ["ID", "STATE", "AHEAD", "BEHIND", "UNCOMMITTED", "BRANCH", "PATH"],
        rows,
        empty="No matching workspaces." if mission or status else "No workspaces yet.",
        drop=["BEHIND", "AHEAD", "UNCOMMITTED", "BRANCH"],
    )


def _state(row: dict[str, Any]) -> str:
    if row["removed_at"]:
        return f"{row['status']}, removed"
    gone = "state" in row and not row["state"]["exists"]
    return f"{row['status']}, folder missing" if gone else str(row["status"])


def _distance(row: dict[str, Any]) -> tuple[Any, Any]:
    state = row.get("state") or {}
    return state.get("ahead"), state.get("behind")


def _dirt(row: dict[str, Any]) -> str:
    state = row.get("state")
    if state is None:
        return "" if row["removed_at"] else f"on {row['host_id']}"
    return counted(len(state["uncommitted"]), "file") if state["dirty"] else "none"
