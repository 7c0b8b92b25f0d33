"""Variables that an operator's shell passes to a launch: in a private file that is read once, then only in memory."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from mission.domain.errors import InvalidInput
from mission.services.launcher import LaunchRequest

STALE_SECONDS = 600
"""A launch reads its file within seconds, unless it has to wait for the daemon to start."""


class ShellEnvironments:
    """The variables passed to this daemon, by task."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._given: dict[str, Mapping[str, str]] = {}

    def take(self, order: LaunchRequest, *, keep: bool = False) -> Mapping[str, str] | None:
        """Return the variables of the order, or of an earlier launch of the task; `keep` does not delete the file."""
        if order.handover is None:
            return self._given.get(order.task_id)
        path = self._folder / Path(order.handover).name
        try:
            found = json.loads(path.read_text())
        except (OSError, ValueError):
            raise InvalidInput("handover: file not found", field="handover") from None
        if not isinstance(found, dict):
            raise InvalidInput("handover: the file does not contain variables", field="handover")
        handed = {str(name): str(value) for name, value in found.items()}
        if not keep:
            path.unlink(missing_ok=True)
            self._given[order.task_id] = handed
        return handed

    def remove_stale(self) -> None:
        """Remove files that were never read."""
        for path in list(self._folder.iterdir()) if self._folder.is_dir() else []:
            with suppress(OSError):
                if path.stat().st_mtime < time.time() - STALE_SECONDS:
                    path.unlink()
