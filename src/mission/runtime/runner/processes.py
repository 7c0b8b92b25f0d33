"""The processes of one execution: found by their group and by the id they carry in their environment, and ended."""

from __future__ import annotations

import ctypes
import os
import signal
from contextlib import suppress

EXECUTION_VARIABLE = "OPEN_MISSION_AGENT_EXECUTION_ID"
_SET_PARENT_DEATH_SIGNAL = 1
_SET_CHILD_SUBREAPER = 36


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent dies, so that none of them stays as a zombie (Linux)."""
    _prctl(_SET_CHILD_SUBREAPER, 1)


def die_with_parent() -> None:
    """Be killed when the parent dies (Linux); called in the child, before its program is loaded."""
    _prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)


def _prctl(option: int, value: int) -> None:
    with suppress(AttributeError):
        _LIBC.prctl(option, value, 0, 0, 0)


_LIBC = ctypes.CDLL(None)  # loaded before any fork: a child between fork and exec must not import


def members(execution_id: str, *, group: int | None) -> set[int]:
    """Living processes of the execution: its process group, and whoever inherited its id and left the group."""
    marked = f"{EXECUTION_VARIABLE}={execution_id}".encode()
    found = set()
    for name in _processes():
        pid = int(name)
        if pid != os.getpid() and _is_alive(name) and (_group_of(pid) == group or marked in _environment(name)):
            found.add(pid)
    return found


def send(execution_id: str, sign: signal.Signals, *, group: int | None) -> set[int]:
    """Signal every living process of the execution; says which there were."""
    found = members(execution_id, group=group)
    if group is not None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, sign)
    for pid in found:
        if group is None or _group_of(pid) != group:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, sign)
    return found


def _processes() -> list[str]:
    """Every process there is to look at; none where /proc does not exist, and then the group has to do."""
    try:
        return [name for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []


def _is_alive(name: str) -> bool:
    try:
        with open(f"/proc/{name}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
    except (OSError, IndexError):
        return False


def _group_of(pid: int) -> int | None:
    try:
        return os.getpgid(pid)
    except (ProcessLookupError, PermissionError):
        return None


def _environment(name: str) -> list[bytes]:
    try:
        with open(f"/proc/{name}/environ", "rb") as file:
            return file.read().split(b"\0")
    except OSError:
        return []
