"""Finds what an earlier daemon launched, and cleans up after executions that are gone.

Several daemons of one host can share a database. Each keeps the files of its executions in its own home, and when one
is gone, the others take its executions over.
"""

from __future__ import annotations

import asyncio
import fcntl
import logging
import os
from collections.abc import Collection
from pathlib import Path

from mission.domain.executions.execution import Execution, ExecutionStatus
from mission.runtime.running.runner_process import Process, is_transcript
from mission.runtime.running.screen import Screen, last_shown, shown_before
from mission.services.agents.registration import LivenessSettings
from mission.services.executions import ending
from mission.services.executions import state as executions
from mission.services.executions.ending import ExecutionEnd
from mission.services.work import Work

log = logging.getLogger(__name__)

DAEMON_LOCK = "daemon.lock"


def folder_of(execution: Execution, *, folders: Path) -> Path:
    """Return the folder with the files of an execution, which may be in the home of another daemon."""
    stored = (execution.process or {}).get("folder")
    return Path(stored) if stored is not None else folders / execution.id


def may_follow(folder: Path, *, folders: Path) -> bool:
    """Return whether this daemon may follow an execution: it is one of its own, or the daemon of its home is gone."""
    return folder.parent == folders or _has_lost_its_daemon(folder.parent.parent)


def _has_lost_its_daemon(home: Path) -> bool:
    """Return whether a home had a daemon that no longer runs; a home that cannot be seen from here may have one."""
    try:
        lock = os.open(home / DAEMON_LOCK, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(lock)
    return True


async def reattach(work: Work, execution: Execution, process: Process) -> Screen | None:
    """Return the screen of the execution, or None if its program never started; it may have ended since."""
    if process.give_up() or not process.folder.is_dir():
        return None
    log.info("execution %s: reattached", execution.id)
    if "program" not in (execution.process or {}):  # the daemon died before it recorded that the program runs
        facts = {"folder": str(process.folder), "program": None}
        await work.write(executions.started, execution_id=execution.id, process=facts)
    history = await asyncio.to_thread(shown_before, process.folder)
    return Screen(history, shown_at=last_shown(process.folder))


async def mark_lost(work: Work, execution: Execution, process: Process, *, liveness: LivenessSettings) -> None:
    """Record that the program never ran."""
    reason = "the daemon died before its program was started"
    end = ExecutionEnd(status=ExecutionStatus.LOST, reason=reason, never_ran=True)
    await work.write(ending.ended, execution_id=execution.id, end=end, liveness=liveness)
    await process.release()
    log.warning("execution %s was lost: its program never ran", execution.id)


async def clean_up(home: Path, *, running: Collection[str]) -> None:
    """Remove files of ended executions that an earlier daemon could not remove; keep their transcripts."""
    for folder in sorted(home.iterdir()) if home.is_dir() else []:
        if folder.name in running or not folder.is_dir():
            continue
        if not all(map(is_transcript, folder.iterdir())):
            await Process(folder.name, folder).release()
