"""Remove demos: their runs, agents, worktrees, missions and folders."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from mission.domain.errors import InvalidState, NotFound
from mission.domain.missions.mission import ENDED
from mission.domain.runs.run import LIVE
from mission.git.worktrees.worktree import folder_for
from mission.transports.bridge.daemon_process import ToolFailed

Operator = Callable[[str, dict[str, Any]], dict[str, Any]]
"""Calls a tool of the daemon as the person."""
STOP_SECONDS = 30.0
"""How long agents may take to stop before a mission is deleted."""
REPOSITORY = "ledger"
MISSION = "mission"
"""The file in a demo's folder with the id of its mission."""


def remove_all(demos: Path, operator: Operator, *, worktrees: Path) -> int:
    """Remove every demo, and return how many there were."""
    folders = sorted(path for path in demos.iterdir() if path.is_dir()) if demos.is_dir() else []
    for folder in folders:
        remove(folder, operator, worktrees=worktrees)
    return len(folders)


def remove(folder: Path, operator: Operator, *, worktrees: Path) -> None:
    """Remove one demo; `worktrees` is the folder with all worktrees of ours. A repeated call continues."""
    marker = folder / MISSION
    if marker.exists():
        try:
            _remove_mission(marker.read_text(), operator)
        except ToolFailed as failed:
            if failed.error["code"] != NotFound.code:  # somebody has deleted it already
                raise
    # A launch that was under way may have made one more worktree.
    shutil.rmtree(worktrees / folder_for((folder / REPOSITORY).resolve()), ignore_errors=True)
    shutil.rmtree(folder)
    with suppress(OSError):  # other demos are there
        folder.parent.rmdir()


def _remove_mission(mission_id: str, operator: Operator) -> None:
    for run in operator("run_list", {"mission_id": mission_id})["runs"]:
        if run["state"] in LIVE:
            operator("run_stop", {"run_id": run["run_id"], "reason": "The demo is removed."})
    if operator("workflow_get", {"id": mission_id})["status"] not in ENDED:
        ending = {"status": "failed", "summary": "The demo was removed.", "achievements": []}
        operator("complete_workflow", {"workflow_id": mission_id, **ending})
    for workspace in operator("workspace_list", {"workflow_id": mission_id, "include_removed": False})["workspaces"]:
        if workspace["status"] == "active":
            operator("workspace_update", {"id": workspace["id"], "status": "abandoned"})
        operator("workspace_remove", {"id": workspace["id"]})
    _delete(mission_id, operator)


def _delete(mission_id: str, operator: Operator) -> None:
    """Delete the mission as soon as its agents have stopped, which takes a moment."""
    give_up_at = time.monotonic() + STOP_SECONDS
    while True:
        try:
            operator("mission_delete", {"mission_id": mission_id})
            return
        except ToolFailed as failed:
            if failed.error["code"] != InvalidState.code or time.monotonic() > give_up_at:
                raise
        time.sleep(0.1)
