"""The time and memory of processes, and of empty Python processes for comparison."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from bench.stdio import resident_bytes


@dataclass(frozen=True, kw_only=True, slots=True)
class Memory:
    """The memory of a process in bytes: all, with shared pages in part, and what is its own."""

    resident: int
    proportional: int | None
    own: int | None


def memory(pid: int) -> Memory:
    """Return the memory of a process; only Linux knows how much of it is shared."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    except OSError:
        return Memory(resident=resident_bytes(pid), proportional=None, own=None)
    sizes = {name: int(size.split()[0]) * 1024 for name, _, size in (line.partition(":") for line in lines)}
    own = sum(size for name, size in sizes.items() if name.startswith("Private_"))
    return Memory(resident=sizes["Rss"], proportional=sizes["Pss"], own=own)


def cpu_seconds(pid: int) -> float | None:
    """Return the computing time of a process so far; None where the system does not say."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def python_seconds(program: str) -> float:
    """Return how long a Python process takes for a program."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", program], check=True)
    return time.perf_counter() - start


def python_memory(program: str = "pass") -> int:
    """Return the memory of an idle Python process after a program, in bytes."""
    command = [sys.executable, "-c", f"{program}\nprint(flush=True); input()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()
        size = resident_bytes(process.pid)
        process.stdin.write(b"\n")
    return size
