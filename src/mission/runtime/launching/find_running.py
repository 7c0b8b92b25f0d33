"""Finds what an earlier daemon launched, and cleans up after executions that are gone."""

from __future__ import annotations

import asyncio
import logging
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


def is_ours(execution: Execution, process: Process) -> bool:
    """Return whether the execution belongs to this daemon's home, not to another daemon on this host."""
    return execution.process is None or execution.process.get("folder") == str(process.folder)


async def reattach(work: Work, execution: Execution, process: Process) -> Screen | None:
    """Return the screen of the execution, or None if its program never started; it may have ended since."""
    if process.give_up() or not process.folder.is_dir():
        return None
    log.info("execution %s: reattached", execution.id)
    if execution.process is None:  # the daemon died before it recorded that the program runs
        await work.write(executions.started, execution_id=execution.id, process={"folder": str(process.folder)})
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
