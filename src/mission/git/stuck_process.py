"""Detect whether a program and its child processes still make progress, or only wait."""

from __future__ import annotations

import subprocess
import time
from contextlib import suppress
from pathlib import Path

PROC = Path("/proc")
PS = ("ps", "-A", "-o", "pgid=,time=")
ON_DISK = b"D"


class ProgressWatch:
    """Watches the group of processes that a program leads."""

    def __init__(self, group: int) -> None:
        self._group = group
        self._last: object = None
        self._since = time.monotonic()

    def idle_seconds(self) -> float:
        """Return for how long no process of the group has used the processor or waited for the disk."""
        now = _progress(self._group)
        if now is None or now != self._last:
            self._last, self._since = now, time.monotonic()
        return time.monotonic() - self._since


def _progress(group: int) -> object:
    """Return a value that changes whenever one of the processes makes progress; None while one waits for the disk."""
    if not (PROC / "self" / "stat").exists():
        return _listed(group)
    measured = []
    for pid in _family(group):
        for task in _numbers(PROC / str(pid) / "task"):
            folder = PROC / str(pid) / "task" / str(task)
            with suppress(OSError, IndexError):
                fields = (folder / "stat").read_bytes().rpartition(b")")[2].split()
                if fields[0] == ON_DISK:
                    return None
                measured.append((pid, task, fields[11], fields[12], _run_time(folder)))
    return measured


def _family(pid: int) -> list[int]:
    found = [pid]
    for each in found:  # grows while it is read
        for task in _numbers(PROC / str(each) / "task"):
            with suppress(OSError, ValueError):
                found += map(int, (PROC / str(each) / "task" / str(task) / "children").read_bytes().split())
    return found


def _numbers(folder: Path) -> list[int]:
    try:
        return sorted(int(path.name) for path in folder.iterdir())
    except OSError:
        return []


def _run_time(folder: Path) -> bytes:
    """Return the processor time in nanoseconds, where the kernel counts it."""
    with suppress(OSError):
        return (folder / "schedstat").read_bytes()
    return b""


def _listed(group: int) -> object:
    try:
        output = subprocess.run(PS, capture_output=True, stdin=subprocess.DEVNULL, timeout=5).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    return [line for line in output.splitlines() if line.split()[:1] == [str(group).encode()]]
