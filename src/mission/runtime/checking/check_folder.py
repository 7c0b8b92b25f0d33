"""The folder of one check: its plan, its runner, and the record of its end."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from mission.runtime.checking.spare_runner import SpareRunner
from mission.runtime.checking.temporary_folder import make_temporary_folder
from mission.runtime.runner.check import IDLE_ALLOWED, LOG
from mission.runtime.runner.plan_file import LOCK, PLAN
from mission.runtime.running.runner_process import bare_environment
from mission.services.checks.check_runner import CheckStart

GRACE_SECONDS = 5.0
"""Time between TERM and KILL for a check that is ended."""
EXIT = "exit.json"


def start_runner(start: CheckStart, folder: Path, *, spare: SpareRunner) -> subprocess.Popen[bytes]:
    """Write the plan into the folder, which is empty, and start a runner for it, or give it to the spare one."""
    environment = {**start.environment, "TMPDIR": str(make_temporary_folder(folder))}
    _write_private(folder / PLAN, json.dumps(_plan(start, environment)))
    if (waiting := spare.give(folder)) is not None:
        return waiting
    with open(folder / LOG, "ab", opener=_private) as log:
        return subprocess.Popen(
            [sys.executable, "-m", "mission.runtime.runner.check", str(folder)],
            cwd=folder,
            env=bare_environment(),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def has_plan(folder: Path) -> bool:
    """Return whether there is a plan that no runner has started."""
    return (folder / PLAN).exists()


def give_up(folder: Path) -> bool:
    """Remove a plan that no runner has started, and return whether there was one; the check then never runs."""
    try:
        (folder / PLAN).unlink()
    except OSError:
        return False
    return True


def runner_id(folder: Path) -> int | None:
    """Return the process id of the live runner that has started the plan, or None."""
    try:
        lock = os.open(folder / LOCK, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        with suppress(ValueError):
            return int(os.pread(lock, 20, 0))
        return 0  # it runs, but a full disk had no room for its id
    finally:
        os.close(lock)
    return None


def recorded_exit(folder: Path) -> dict[str, Any] | None:
    """Return the runner's record of the check's end; None if there is none, or only a damaged one."""
    try:
        record = json.loads((folder / EXIT).read_bytes())
    except (OSError, ValueError):
        return None
    return record if isinstance(record, dict) else None


def record_exit(folder: Path, record: dict[str, Any]) -> None:
    """Record the end of a check that never had a runner."""
    _write_private(folder / EXIT, json.dumps(record))


def set_idle_allowed(folder: Path, *, allowed: bool) -> None:
    """Set whether the check may be idle without a limit."""
    if allowed:
        (folder / IDLE_ALLOWED).touch(mode=0o600)
    else:
        (folder / IDLE_ALLOWED).unlink(missing_ok=True)


def _plan(start: CheckStart, environment: dict[str, str]) -> dict[str, Any]:
    return {
        "execution_id": start.evidence_id,
        "argv": ["/bin/sh", "-c", start.command],
        "directory": str(start.directory),
        "environment": environment,
        "merged": True,
        "limits": {
            "seconds": start.seconds,
            "idle_seconds": start.idle_seconds,
            "grace_seconds": GRACE_SECONDS,
        },
    }


def _write_private(path: Path, text: str) -> None:
    with open(path, "w", opener=_private) as file:
        file.write(text)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
