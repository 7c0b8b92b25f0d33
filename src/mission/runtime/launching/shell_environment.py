"""Variables that an operator's shell passes to launches: in a private file that is read once, then only in memory."""

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
    """The variables passed to this daemon, by task and by run."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._given: dict[str, Mapping[str, str]] = {}
        self._of_runs: dict[str, Mapping[str, str]] = {}

    def take(self, order: LaunchRequest, *, keep: bool = False) -> Mapping[str, str] | None:
        """Return the variables of the order, of its run, or of an earlier launch of the task.

        `keep` does not delete the file.
        """
        if order.handover is None:
            return self.of_run(order.run_id) or self._given.get(order.task_id)
        handed = self.read(order.handover, keep=keep)
        if not keep:
            self._given[order.task_id] = handed
        return handed

    def read(self, handover: str, *, keep: bool = False) -> Mapping[str, str]:
        """Return the variables in a file, which is deleted unless `keep` is set."""
        path = self._folder / Path(handover).name
        try:
            found = json.loads(path.read_text())
        except (OSError, ValueError):
            raise InvalidInput("handover: file not found", field="handover") from None
        if not isinstance(found, dict):
            raise InvalidInput("handover: the file does not contain variables", field="handover")
        if not keep:
            path.unlink(missing_ok=True)
        return {str(name): str(value) for name, value in found.items()}

    def keep_for_run(self, run_id: str, handover: str) -> None:
        """Keep the variables in a file for every launch of a run. Repeated, they are already kept."""
        if (self._folder / Path(handover).name).exists() or run_id not in self._of_runs:
            self._of_runs[run_id] = self.read(handover)

    def of_run(self, run_id: str | None) -> Mapping[str, str] | None:
        """Return the variables of a run; None if a shell has passed none to this daemon."""
        return self._of_runs.get(run_id) if run_id is not None else None

    def forget_run(self, run_id: str) -> None:
        """Forget the variables of a run that has ended."""
        self._of_runs.pop(run_id, None)

    def remove_stale(self) -> None:
        """Remove files that were never read."""
        for path in list(self._folder.iterdir()) if self._folder.is_dir() else []:
            with suppress(OSError):
                if path.stat().st_mtime < time.time() - STALE_SECONDS:
                    path.unlink()
