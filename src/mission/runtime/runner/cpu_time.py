"""The CPU time that processes have used, from /proc or, on macOS, from ps."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Collection
from contextlib import suppress

PROC = "/proc"
PS = ("/bin/ps", "-A", "-o", "pid=", "-o", "time=")
_CHILDREN_TOO = slice(11, 15)
"""utime, stime, cutime and cstime, counted from the field after the command's name."""


def cpu_seconds(pids: Collection[int]) -> float:
    """Return the CPU time of the processes, with that of their ended children where the system knows it."""
    if not os.path.isdir(f"{PROC}/self"):
        return _from_ps(pids)
    ticks = 0
    for pid in pids:
        with suppress(OSError, ValueError), open(f"{PROC}/{pid}/stat", "rb") as file:
            ticks += sum(map(int, file.read().rpartition(b")")[2].split()[_CHILDREN_TOO]))
    return ticks / os.sysconf("SC_CLK_TCK")


def _from_ps(pids: Collection[int]) -> float:
    try:
        output = subprocess.run(PS, capture_output=True, stdin=subprocess.DEVNULL, env={"LC_ALL": "C"}).stdout
    except OSError:
        return 0.0
    total = 0.0
    for line in output.splitlines():
        with suppress(ValueError, IndexError):
            pid, used = line.split()
            if int(pid) in pids:
                total += _seconds(used.decode())
    return total


def _seconds(text: str) -> float:
    """Return the seconds in a time such as '1-02:03:04' or '2:03.45'."""
    days, _, rest = text.rpartition("-")
    parts = rest.split(":")
    hours = float(days or 0) * 24 + (float(parts[-3]) if len(parts) > 2 else 0.0)
    return (hours * 60 + float(parts[-2])) * 60 + float(parts[-1])
