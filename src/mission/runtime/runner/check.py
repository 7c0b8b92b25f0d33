"""`python -m mission.runtime.runner.check [FOLDER]`: runs the check described in the folder's plan until it ends.

It stores what the check prints and how it ended in the folder, and needs no daemon for either. A daemon asks it to end
the check with SIGUSR1. Without a folder it waits for one on its input.
"""

from __future__ import annotations

import json
import math
import os
import resource
import selectors
import signal
import subprocess
import sys
import time
from contextlib import suppress
from typing import Any

from mission.runtime.runner import process_group
from mission.runtime.runner.cpu_time import cpu_seconds
from mission.runtime.runner.plan_file import take_plan
from mission.runtime.runner.printed_output import PrintedOutput
from mission.runtime.runner.program import Program, why_not_started

CHUNK = 64 * 1024
CHUNKS_AT_ONCE = 64
LOOK_SECONDS = 0.05
DRAIN_SECONDS = 1.0
FOLDER_SECONDS = 1.0
"""How often to look whether the folder is still there."""
SAMPLES = 20
"""How often the CPU time is read within the time that a check may be idle."""
LONGEST_SAMPLE_SECONDS = 15.0
LEAST_SPACE = 64 * 1024
STOP = signal.SIGUSR1
IDLE_ALLOWED = "idle-allowed"
"""While this file exists, an idle check is not ended."""
LOG = "runner.log"
NOT_RECORDED = 75
"""Exit code of a runner that could not record the check's end."""


class CheckRun:
    """One check from start to recorded end."""

    def __init__(self, folder: str, plan: dict[str, Any], *, wake_up: int, requests: list[str]) -> None:
        self._folder = folder
        self._limits: dict[str, Any] = plan["limits"]
        self._directory: str = plan["directory"]
        self._temporary: str | None = plan["environment"].get("TMPDIR")
        self._plan = plan
        self._requests = requests
        self._reason: str | None = None
        self._output = PrintedOutput(folder)
        self._selector = selectors.DefaultSelector()
        self._selector.register(wake_up, selectors.EVENT_READ, lambda: os.read(wake_up, 4096))
        now = time.monotonic()
        self._until = math.inf
        self._look_at = now + FOLDER_SECONDS
        self._sample_at = now + self._sample_seconds
        self._last_sample: tuple[Any, ...] = ()
        self._active_at = now

    def run(self) -> int:
        """Run the check and return the exit code of this runner."""
        adopts = process_group.adopt_orphans()
        started_at, started = time.time(), time.monotonic()
        try:
            program = Program(self._plan, variable=process_group.EVIDENCE_VARIABLE, adopts_orphans=adopts)
        except OSError as problem:
            return self._record({"error": why_not_started(problem, self._directory), "started_at": started_at})
        except (ValueError, subprocess.SubprocessError):
            error = "its command or environment has a character, such as NUL, that no program accepts"
            return self._record({"error": error, "started_at": started_at})
        self._plan = {}
        with suppress(OSError):  # it only helps to end what a killed runner leaves behind
            self._write("state.json", {"runner": os.getpid(), "program": program.pid})
        for descriptor in program.streams:
            self._selector.register(descriptor, selectors.EVENT_READ, lambda: self._read(program))
        self._until = started + self._limits["seconds"]
        ended, left = None, None
        while left is None:
            self._check_limits(program)
            self._wait(program)
            if program.exit_status is not None and ended is None:
                ended = time.monotonic()
            left = program.tend()
        self._drain(program)
        times = {"seconds": (ended or time.monotonic()) - started, "started_at": started_at}
        return self._record({**self._ending(program.exit_status or 0), "left_over": left, **times})

    def _wait(self, program: Program) -> None:
        """Serve ready files until something is due."""
        due = min(self._look_at, self._sample_at, self._until)
        seconds = LOOK_SECONDS if program.is_ending else max(0.0, due - time.monotonic())
        for key, _ in self._selector.select(seconds):
            key.data()
        program.reap()

    def _read(self, program: Program) -> bool:
        """Store what is there to read, and return whether there may be more; close a stream that ended."""
        for descriptor in list(program.streams):
            for _ in range(CHUNKS_AT_ONCE):
                try:
                    data = os.read(descriptor, CHUNK)
                except BlockingIOError:
                    break
                except OSError:
                    data = b""
                if not data:
                    self._selector.unregister(descriptor)
                    program.close(descriptor)
                    break
                self._output.add(data)
        return bool(program.streams)

    def _drain(self, program: Program) -> None:
        """Read the last output of ended processes; wait briefly while another process holds the stream open."""
        deadline = time.monotonic() + DRAIN_SECONDS
        while self._read(program) and time.monotonic() < deadline:
            self._selector.select(LOOK_SECONDS)

    def _check_limits(self, program: Program) -> None:
        if program.is_being_stopped:
            return
        now = time.monotonic()
        if self._requests:
            self._stop(program, self._requests[0])
        elif now >= self._until:
            self._stop(program, "time-limit")
        elif self._has_lost_folder(now):
            self._stop(program, "folder-gone")
        elif self._is_idle(program, now):
            self._stop(program, "idle")

    def _stop(self, program: Program, reason: str) -> None:
        self._reason = reason
        program.stop(grace=self._limits["grace_seconds"])

    def _has_lost_folder(self, now: float) -> bool:
        """Return whether the folder was removed, without which no daemon can find the check again."""
        if now < self._look_at:
            return False
        self._look_at = now + FOLDER_SECONDS
        return not os.path.isdir(self._folder)

    def _is_idle(self, program: Program, now: float) -> bool:
        """Return whether no process of the check used the CPU for too long; to print something takes CPU time too."""
        if now < self._sample_at:
            return False
        self._sample_at = now + self._sample_seconds
        pids = program.members()
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        sample = (pids, cpu_seconds(pids), ended.ru_utime + ended.ru_stime, self._output.total)
        if sample != self._last_sample or os.path.exists(os.path.join(self._folder, IDLE_ALLOWED)):
            self._last_sample, self._active_at = sample, now
        return bool(now - self._active_at >= self._limits["idle_seconds"])

    @property
    def _sample_seconds(self) -> float:
        limit: float | None = self._limits["idle_seconds"]
        return math.inf if limit is None else min(LONGEST_SAMPLE_SECONDS, limit / SAMPLES)

    def _ending(self, status: int) -> dict[str, Any]:
        return {
            "reason": self._reason,
            "code": status if status >= 0 else None,
            "signal": _signal_name(-status) if status < 0 else None,
            "error": self._problem(status) if self._reason is None else None,
        }

    def _problem(self, status: int) -> str | None:
        """Return why the exit status says nothing about the work."""
        if not os.path.isdir(self._directory):
            return "its working directory was removed while it ran"
        if self._output.problem is not None:
            return f"its output could not be stored: {self._output.problem}"
        if status != 0 and any(_is_full(place) for place in (self._directory, self._temporary) if place):
            return "there is no space left on the disk it writes to"
        return None

    def _record(self, ending: dict[str, Any]) -> int:
        """Store the end and return the exit code of this runner."""
        whole = {"reason": None, "code": None, "signal": None, "error": None, "left_over": 0, "seconds": 0.0}
        record = {**whole, **ending, "output_bytes": self._output.total}
        self._output.close()
        try:
            self._write("exit.json", record)
        except OSError:
            self._output.make_room()
            try:
                self._write("exit.json", record)
            except OSError:
                return NOT_RECORDED if os.path.isdir(self._folder) else 1
        return 0

    def _write(self, name: str, content: Any) -> None:
        # Not forced to the disk: after a power failure the check is lost and runs again.
        partial = os.path.join(self._folder, f".{name}")
        with open(partial, "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            json.dump(content, file)
        os.replace(partial, os.path.join(self._folder, name))


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return f"SIG{number}"


def _is_full(place: str) -> bool:
    try:
        disk = os.statvfs(place)
    except OSError:
        return False
    is_root = os.geteuid() == 0
    blocks = disk.f_bfree if is_root else disk.f_bavail
    files = disk.f_ffree if is_root else disk.f_favail
    return (disk.f_blocks > 0 and blocks * disk.f_frsize < LEAST_SPACE) or (disk.f_files > 0 and files == 0)


def main(folder: str) -> int:
    requests: list[str] = []
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    # Before the plan is taken: a daemon sends its request to end the check only after that.
    signal.signal(STOP, lambda *_: requests.append("stopped"))
    signal.signal(signal.SIGTERM, lambda *_: requests.append("runner-stopped"))
    # Handled, not ignored: programs inherit ignored signals from their parent.
    for number in (signal.SIGCHLD, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, lambda *_: None)
    plan = take_plan(folder)
    if plan is None:
        return 1
    return CheckRun(folder, plan, wake_up=reader, requests=requests).run()


def wait_for_folder() -> str | None:
    """Return the folder that arrives on the input, and write to its log from then on; None if none arrives."""
    received = b""
    while piece := os.read(0, CHUNK):
        received += piece
    if not received:
        return None
    folder = os.fsdecode(received)
    try:
        os.chdir(folder)
        log = os.open(LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    except OSError:
        return None
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (log, 1), (log, 2)):
        os.dup2(source, target)
    os.close(nothing)
    os.close(log)
    return folder


if __name__ == "__main__":
    place = sys.argv[1] if len(sys.argv) > 1 else wait_for_folder()
    code = main(place) if place is not None else 1
    sys.stderr.flush()
    os._exit(code)  # taking the interpreter apart would only delay the result
