"""Finds and ends the processes of one execution or check, by their group, their id and their ancestors."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import suppress

EXECUTION_VARIABLE = "OPEN_MISSION_AGENT_EXECUTION_ID"
EVIDENCE_VARIABLE = "OPEN_MISSION_EVIDENCE_ID"
"""Marks the processes of a check, which are not an agent's."""
PROC = "/proc"
PS = ("/bin/ps", "-A", "-E", "-ww", "-o", "pid=", "-o", "pgid=", "-o", "stat=", "-o", "command=")
"""The replacement for /proc on macOS; the environment follows the command."""
_SET_PARENT_DEATH_SIGNAL = 1
_SET_CHILD_SUBREAPER = 36


def adopt_orphans() -> bool:
    """Become the parent of descendants whose parent dies, so that none of them remains a zombie (Linux); return whether
    that is possible here."""
    return _prctl(_SET_CHILD_SUBREAPER, 1)


def die_with_parent() -> None:
    """Have this process killed when its parent dies (Linux); called in the child before exec."""
    _prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)


def _prctl(option: int, value: int) -> bool:
    try:
        return bool(_LIBC.prctl(option, value, 0, 0, 0) == 0)
    except AttributeError:
        return False


_LIBC = ctypes.CDLL(None)  # loaded before any fork: a child between fork and exec must not import


def members(id: str, *, group: int | None, below: int | None = None, variable: str = EXECUTION_VARIABLE) -> set[int]:
    """Return the live processes of the execution or check: its process group, processes that inherited its id and left
    the group, and descendants of `below`, a runner that adopts orphans (Linux)."""
    marked = f"{variable}={id}".encode()
    if not os.path.isdir(f"{PROC}/self"):
        rows = _listed()
        found = {pid for pid, its_group, words in rows if its_group == group or marked in words}
    else:
        parents = _parents()
        found = {pid for pid in parents if _is_in(pid, group) or marked in _environment(pid)}
        found |= {pid for pid in parents if below is not None and _descends(pid, below, parents)}
    return found - {os.getpid()}


def send(
    id: str,
    sign: signal.Signals,
    *,
    group: int | None,
    below: int | None = None,
    variable: str = EXECUTION_VARIABLE,
) -> set[int]:
    """Signal every live process of the execution or check and return their ids."""
    found = members(id, group=group, below=below, variable=variable)
    if group is not None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, sign)
    for pid in found:
        if not _is_in(pid, group):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, sign)
    return found


def _listed() -> Iterator[tuple[int, int, list[bytes]]]:
    """Yield every live process: its id, its group, and the words of its command and environment."""
    try:
        output = subprocess.run(PS, capture_output=True, stdin=subprocess.DEVNULL, env={"LC_ALL": "C"}).stdout
    except OSError:
        return  # neither /proc nor ps: only the group is known
    for line in output.splitlines():
        words = line.split()
        if len(words) > 2 and words[0].isdigit() and words[1].isdigit() and not words[2].startswith(b"Z"):
            yield int(words[0]), int(words[1]), words[3:]


def _parents() -> dict[int, int]:
    """Return every live process with its parent."""
    found = {}
    for name in filter(str.isdigit, os.listdir(PROC)):
        with suppress(OSError, ValueError), open(f"{PROC}/{name}/stat", "rb") as file:
            state, parent, *_ = file.read().rpartition(b")")[2].split()
            if state not in (b"Z", b"X"):
                found[int(name)] = int(parent)
    return found


def _descends(pid: int, ancestor: int, parents: Mapping[int, int]) -> bool:
    seen = set()  # the list is not an atomic snapshot, and pids are reused
    while pid not in seen and (parent := parents.get(pid)) is not None:
        if parent == ancestor:
            return True
        seen.add(pid)
        pid = parent
    return False


def _is_in(pid: int, group: int | None) -> bool:
    try:
        return group is not None and os.getpgid(pid) == group
    except (ProcessLookupError, PermissionError):
        return False


def _environment(pid: int) -> list[bytes]:
    try:
        with open(f"{PROC}/{pid}/environ", "rb") as file:
            return file.read().split(b"\0")
    except OSError:
        return []
