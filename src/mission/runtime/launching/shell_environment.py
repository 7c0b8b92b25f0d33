"""Variables that an operator's shell leaves for a launch: a private file that is read once, then memory alone."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from mission.domain.errors import InvalidInput
from mission.services.launcher import LaunchRequest

STALE_SECONDS = 600
"""A launch reads what was left for it within seconds; it may have to wait for the daemon to start."""


class ShellEnvironments:
    """What was handed over to this daemon, by the task it was for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._given: dict[str, Mapping[str, str]] = {}

    def take(self, order: LaunchRequest, *, keep: bool = False) -> Mapping[str, str] | None:
        """What the order names, else what an earlier launch of the task was given; `keep` leaves the file there."""
        if order.handover is None:
            return self._given.get(order.task_id)
        path = self._folder / Path(order.handover).name
        try:
            found = json.loads(path.read_text())
        except (OSError, ValueError):
            raise InvalidInput("handover: there is no such file", field="handover") from None
        if not isinstance(found, dict):
            raise InvalidInput("handover: the file holds no variables", field="handover")
        handed = {str(name): str(value) for name, value in found.items()}
        if not keep:
            path.unlink(missing_ok=True)
            self._given[order.task_id] = handed
        return handed

    def remove_stale(self) -> None:
        """Remove what a shell left and never came back for."""
        for path in list(self._folder.iterdir()) if self._folder.is_dir() else []:
            with suppress(OSError):
                if path.stat().st_mtime < time.time() - STALE_SECONDS:
                    path.unlink()
