"""Runs the commands of checks, each under its own runner, and finds those of an earlier daemon again."""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from mission.domain.errors import InvalidInput
from mission.domain.ids import is_id
from mission.runtime.checking import check_folder as folders
from mission.runtime.checking import output_files as outputs
from mission.runtime.checking.masked_text import Mask
from mission.runtime.checking.process_end import process_end
from mission.runtime.checking.spare_runner import SpareRunner
from mission.runtime.checking.temporary_folder import remove_temporary_folder, remove_tree
from mission.runtime.runner.check import NOT_RECORDED, STOP
from mission.runtime.runner.process_group import EVIDENCE_VARIABLE
from mission.runtime.running.leftovers import end_leftovers
from mission.services.checks.check_runner import CheckExit, CheckStart, OutputPiece

log = logging.getLogger(__name__)

START_SECONDS = 5.0
"""Time that the runner of an earlier daemon gets to take its plan."""
AGAIN_SECONDS = 0.01
SPARE_SECONDS = 30.0
"""Time that a runner waits for a command."""
LOST_REASONS = frozenset({"lost", "runner-stopped", "folder-gone"})
NO_RECORD = "its end could not be recorded: the disk of MISSION_HOME is full, or the folder is not writable"


class Checks:
    """The commands of checks, in one folder each."""

    def __init__(self, home: Path, *, mask: Mask) -> None:
        """Keep the files below `home`; `mask` hides the secrets in text."""
        self._home = home.absolute()
        self._mask = mask
        self._runners: dict[str, subprocess.Popen[bytes]] = {}
        self._unrecorded: dict[str, CheckExit] = {}
        """Ends that no file records."""
        self._ends: dict[str, asyncio.Task[CheckExit]] = {}
        self._spare = SpareRunner()
        self._spare_ends: asyncio.TimerHandle | None = None

    async def get_ready(self) -> None:
        """Start a runner for a command that will be started soon; it ends if there is none within some seconds."""
        loop = asyncio.get_running_loop()
        if self._spare_ends is not None:
            self._spare_ends.cancel()
        self._spare_ends = loop.call_later(SPARE_SECONDS, loop.run_in_executor, None, self._spare.end)
        await asyncio.to_thread(self._spare.start)

    async def start(self, start: CheckStart) -> None:
        """Start the command, unless one was already started for this evidence. `wait` reports failures."""
        await asyncio.to_thread(self._start, start, self._folder(start.evidence_id))

    async def wait(self, evidence_id: str) -> CheckExit:
        """Return how the command ended, once it has; an earlier daemon may have started it."""
        end = self._ends.get(evidence_id)
        if end is None:
            waiting = self._end(evidence_id, self._folder(evidence_id))
            end = self._ends[evidence_id] = asyncio.create_task(waiting, name=f"check {evidence_id}")
            end.add_done_callback(lambda _: self._ends.pop(evidence_id, None))
        return await asyncio.shield(end)

    async def stop(self, evidence_id: str) -> CheckExit:
        """End the command with everything it started, and return how it ended."""
        await asyncio.to_thread(self._request_stop, evidence_id, self._folder(evidence_id))
        return await self.wait(evidence_id)

    async def allow_idle(self, evidence_id: str, *, allowed: bool) -> None:
        """Set whether the command may be idle without a limit; its idle time counts from when this is turned off."""
        with suppress(OSError):  # it has been forgotten
            await asyncio.to_thread(folders.set_idle_allowed, self._folder(evidence_id), allowed=allowed)

    async def read_output(self, evidence_id: str, *, offset: int = 0) -> OutputPiece:
        """Return the output from an offset; a negative offset counts from the end."""
        return await asyncio.to_thread(self._read_output, self._folder(evidence_id), offset)

    def has_started(self, evidence_id: str) -> bool:
        """Return whether a command was started for this evidence, by whichever daemon."""
        return self._folder(evidence_id).is_dir()

    def output(self, evidence_id: str) -> Path:
        """Return the file with the output of an ended command; it may be missing."""
        return self._folder(evidence_id) / outputs.STORED

    def stored(self) -> list[str]:
        """Return the evidence ids of all commands that have files, running or ended."""
        try:
            return sorted(path.name for path in self._home.iterdir() if _is_evidence(path.name))
        except OSError:
            return []

    def ended(self) -> list[str]:
        """Return the evidence ids of the commands that have files and have ended."""
        return [id for id in self.stored() if folders.recorded_exit(self._folder(id)) is not None]

    async def forget(self, evidence_id: str) -> None:
        """Delete everything stored about a command, which is ended first if it still runs."""
        folder = self._folder(evidence_id)
        if evidence_id in self._ends or evidence_id in self._runners or folders.recorded_exit(folder) is None:
            await self.stop(evidence_id)
        await asyncio.to_thread(self._remove, folder)
        self._unrecorded.pop(evidence_id, None)

    async def leave(self) -> None:
        """Stop waiting; the commands keep running, and the next daemon finds them."""
        if self._spare_ends is not None:
            self._spare_ends.cancel()
        await asyncio.to_thread(self._spare.close)
        ends = list(self._ends.values())
        for end in ends:
            end.cancel()
        await asyncio.gather(*ends, return_exceptions=True)

    def _folder(self, evidence_id: str) -> Path:
        if not _is_evidence(evidence_id):
            raise InvalidInput(f"evidence_id: '{evidence_id[:60]}' is not an evidence id", field="evidence_id")
        return self._home / evidence_id

    def _start(self, start: CheckStart, folder: Path) -> None:
        self._unrecorded.pop(start.evidence_id, None)
        try:
            self._home.mkdir(parents=True, exist_ok=True, mode=0o700)
            folder.mkdir(mode=0o700)
        except OSError as problem:
            if not folder.is_dir():  # otherwise it was started before
                self._unrecorded[start.evidence_id] = _not_started(problem)
            return
        try:
            self._runners[start.evidence_id] = folders.start_runner(start, folder, spare=self._spare)
        except OSError as problem:
            self._remove(folder)
            self._unrecorded[start.evidence_id] = _not_started(problem)

    async def _end(self, evidence_id: str, folder: Path) -> CheckExit:
        if evidence_id in self._unrecorded:
            return self._unrecorded[evidence_id]
        runner = self._runners.get(evidence_id)
        if runner is not None:
            await process_end(runner.pid, is_running=lambda: runner.poll() is None)
        else:
            await self._end_of_earlier(folder)
        return await asyncio.to_thread(self._settle, evidence_id, folder)

    async def _end_of_earlier(self, folder: Path) -> None:
        """Wait until the runner that an earlier daemon started, or should have started, has ended."""
        deadline = time.monotonic() + START_SECONDS
        while folders.has_plan(folder) and time.monotonic() < deadline:  # noqa: ASYNC110 - a file reports nothing
            await asyncio.sleep(AGAIN_SECONDS)
        pid = None if folders.give_up(folder) else folders.runner_id(folder)
        if pid is not None:
            await process_end(pid, is_running=lambda: folders.runner_id(folder) is not None)

    def _settle(self, evidence_id: str, folder: Path) -> CheckExit:
        """Return the end of a command whose runner has ended, after storing its output and cleaning up."""
        runner = self._runners.pop(evidence_id, None)
        status = runner.wait() if runner is not None else None
        recorded = folders.recorded_exit(folder)
        record = recorded or self._without_record(evidence_id, folder, status)
        tail = outputs.store_output(folder, self._mask, printed=record.get("output_bytes"))
        remove_temporary_folder(folder)
        end = _exit(record, tail=tail, mask=self._mask)
        if recorded is None:
            self._unrecorded[evidence_id] = end
        return end

    def _without_record(self, evidence_id: str, folder: Path, status: int | None) -> dict[str, Any]:
        if status == NOT_RECORDED:
            return {"error": NO_RECORD}
        log.warning("check %s was lost: its runner is gone", evidence_id)
        folders.give_up(folder)  # a runner that was gone before it took the plan
        left = end_leftovers(evidence_id, folder, variable=EVIDENCE_VARIABLE)
        record = {"reason": "lost", "left_over": left, "output_bytes": outputs.printed_bytes(folder)}
        with suppress(OSError):  # so that its files are deleted like those of others
            folders.record_exit(folder, record)
        return record

    def _request_stop(self, evidence_id: str, folder: Path) -> None:
        runner = self._runners.get(evidence_id)
        if folders.give_up(folder):
            with suppress(OSError):
                folders.record_exit(folder, {"reason": "stopped"})
        elif runner is not None:
            runner.send_signal(STOP)
        elif pid := folders.runner_id(folder):
            with suppress(ProcessLookupError):
                os.kill(pid, STOP)

    def _read_output(self, folder: Path, offset: int) -> OutputPiece:
        piece = outputs.read_live(folder, self._mask, offset=offset)
        if folder.is_dir() and not (folder / outputs.STORED).exists():  # otherwise pieces may have been deleted
            return piece
        return OutputPiece(text=outputs.stored_output(folder), next_offset=offset, ended=True)

    def _remove(self, folder: Path) -> None:
        remove_temporary_folder(folder)
        remove_tree(folder)


def _is_evidence(name: str) -> bool:
    return name.startswith("ev_") and is_id(name)


def _not_started(problem: OSError) -> CheckExit:
    return CheckExit(error=f"it could not be started: {problem.strerror or problem}")


def _exit(record: dict[str, Any], *, tail: str, mask: Mask) -> CheckExit:
    reason, error = record.get("reason"), record.get("error")
    is_plain = reason is None and error is None
    return CheckExit(
        exit_code=record.get("code") if is_plain else None,
        signal=record.get("signal") if is_plain else None,
        timed_out=reason == "time-limit",
        idle=reason == "idle",
        stopped=reason == "stopped",
        error=mask(str(error)) if error is not None else None,
        lost=reason in LOST_REASONS,
        left_over=record.get("left_over") or 0,
        output_bytes=record.get("output_bytes") or 0,
        seconds=record.get("seconds") or 0.0,
        started_at=record.get("started_at"),
        tail=tail,
    )
