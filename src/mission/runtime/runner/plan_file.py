"""The plan in a runner's folder: exactly one runner takes it, once."""

from __future__ import annotations

import fcntl
import json
import os
from contextlib import suppress
from typing import Any

PLAN = "plan.json"
LOCK = "runner.lock"
"""Locked as long as its runner lives; it has the runner's process id."""
_TAKEN = "plan.taken"


def take_plan(folder: str) -> dict[str, Any] | None:
    """Lock the folder until this process ends and return its plan, or None if it is locked or has none."""
    path = os.path.join(folder, LOCK)
    try:
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return None
    with suppress(OSError):  # a full disk
        os.pwrite(lock, b"%d\n" % os.getpid(), 0)
    try:
        # Renaming the plan decides: a daemon that abandoned this launch has removed it first, and cleaned up.
        os.rename(os.path.join(folder, PLAN), os.path.join(folder, _TAKEN))
        with open(os.path.join(folder, _TAKEN)) as file:
            plan: dict[str, Any] = json.load(file)
        os.unlink(os.path.join(folder, _TAKEN))
    except OSError:
        with suppress(OSError):
            os.unlink(path)
        return None
    return plan
