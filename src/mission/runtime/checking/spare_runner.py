"""A runner that is started before its check is known, so that the check need not wait for an interpreter to start."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from threading import Lock

from mission.runtime.running.runner_process import bare_environment


class SpareRunner:
    """At most one runner that waits on its input for the folder of a check. It ends when the input ends."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._waiting: subprocess.Popen[bytes] | None = None
        self._is_closed = False

    def start(self) -> None:
        """Start a runner, unless one waits already. If it cannot be started, the check starts its own."""
        with self._lock, suppress(OSError):
            if self._waiting is None and not self._is_closed:
                self._waiting = subprocess.Popen(
                    [sys.executable, "-m", "mission.runtime.runner.check"],
                    cwd="/",
                    env=bare_environment(),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                )

    def give(self, folder: Path) -> subprocess.Popen[bytes] | None:
        """Give the waiting runner the folder of a check and return it; None if there is none, or it is gone."""
        runner = self._take()
        if runner is None or runner.stdin is None:
            return None
        try:
            os.write(runner.stdin.fileno(), os.fsencode(folder))  # in one piece: a pipe has room for a path
            runner.stdin.close()
        except OSError:
            _end(runner)
            return None
        return runner

    def end(self) -> None:
        """End the waiting runner."""
        if (runner := self._take()) is not None:
            _end(runner)

    def close(self) -> None:
        """End the waiting runner and start no other."""
        self._is_closed = True
        self.end()

    def _take(self) -> subprocess.Popen[bytes] | None:
        with self._lock:
            runner, self._waiting = self._waiting, None
        return runner


def _end(runner: subprocess.Popen[bytes]) -> None:
    if runner.stdin is not None:
        runner.stdin.close()
    runner.wait()
