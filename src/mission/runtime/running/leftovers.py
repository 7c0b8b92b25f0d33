"""Ends processes that a killed runner left."""

from __future__ import annotations

import json
import os
import signal
import time
from contextlib import suppress
from pathlib import Path

from mission.runtime.runner import process_group

AGAIN_SECONDS = 0.02
KILL_ROUNDS = 250


def end_leftovers(id: str, folder: Path, *, variable: str = process_group.EXECUTION_VARIABLE) -> int:
    """Kill every process that has the id, and return how many there were; `folder` is the runner's."""
    group = None
    with suppress(OSError, ValueError, KeyError):
        group = int(json.loads((folder / "state.json").read_bytes())["program"])
    found = process_group.members(id, group=None, variable=variable)
    if not found:
        return 0
    # The group id may have been reused since: it counts only if a member has our id.
    if group not in {_group(pid) for pid in found}:
        group = None
    for _ in range(KILL_ROUNDS):
        if not process_group.send(id, signal.SIGKILL, group=group, variable=variable):
            break
        time.sleep(AGAIN_SECONDS)
    return len(found)


def _group(pid: int) -> int | None:
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return None
