"""`mission workspaces`."""

from __future__ import annotations

from typing import Any

import click

from mission.domain.workspace import WorkspaceStatus
from mission.transports.cli import client
from mission.transports.cli.output import json_option, show_json, show_table, speaks


@click.command()
@click.option("--mission", metavar="ID", help="Only those of this mission.")
@click.option("--status", multiple=True, type=click.Choice([str(each) for each in WorkspaceStatus]), help="Only these.")
@click.option("--all", "everything", is_flag=True, help="Also those whose worktree was removed.")
@json_option
@speaks
def workspaces(mission: str | None, status: tuple[str, ...], everything: bool, as_json: bool) -> None:
    """List workspaces, the newest first, with how far each is from its base and what is not committed."""
    arguments: dict[str, Any] = {"include_state": True, "include_removed": everything}
    if mission is not None:
        arguments["workflow_id"] = mission
    if status:
        arguments["status"] = list(status)
    found = client.call("workspace_list", arguments)
    if as_json:
        show_json(found)
        return
    rows = [
        (row["id"], row["branch"], _state(row), _distance(row), _dirt(row), ", ".join(row["task_ids"]), row["path"])
        for row in found["workspaces"]
    ]
    show_table(
        ["ID", "BRANCH", "STATE", "AHEAD/BEHIND", "UNCOMMITTED", "TASKS", "PATH"],
        rows,
        empty="No workspace matches." if mission or status else "No workspaces yet.",
    )


def _state(row: dict[str, Any]) -> str:
    if row["removed_at"]:
        return f"{row['status']}, removed"
    gone = "state" in row and not row["state"]["exists"]
    return f"{row['status']}, folder gone" if gone else str(row["status"])


def _distance(row: dict[str, Any]) -> str:
    state = row.get("state")
    return "" if state is None or state["ahead"] is None else f"+{state['ahead']} -{state['behind']}"


def _dirt(row: dict[str, Any]) -> str:
    state = row.get("state")
    if state is None:
        return f"on {row['host_id']}" if not row["removed_at"] else ""
    return f"{len(state['uncommitted'])} files" if state["dirty"] else "none"
