"""`python -m mission.runtime.runner FOLDER`: runs the program described in the folder's plan until it ends."""

from __future__ import annotations

import base64
import errno
import json
import os
import selectors
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from mission.runtime.runner import process_group
from mission.runtime.runner.daemon_connection import DaemonConnection, ProgramOutput
from mission.runtime.runner.plan_file import take_plan
from mission.runtime.runner.program import Program, why_not_started
from mission.runtime.runner.transcript import Transcript

CHUNK = 64 * 1024
LOOK_SECONDS = 0.05
DRAIN_SECONDS = 1.0
FAREWELL_SECONDS = 60.0
MAX_UNTYPED_BYTES = 1024 * 1024
QUIET_SECONDS = 0.2
"""Pause before reading again from a terminal that no process has open."""


class Runner:
    """One program from start to recorded end."""

    def __init__(self, folder: str, plan: dict[str, Any]) -> None:
        self._folder = folder
        self._plan = plan
        self._limits: dict[str, float] = plan["limits"]
        self._daemon = DaemonConnection(plan["socket"])
        self._output = ProgramOutput()
        self._started = time.monotonic()  # the clock may be set
        self._reason: str | None = None
        self._done: set[str] = set()
        self._untyped = b""
        self._released = False
        self._program: Program | None = None
        self._ending: dict[str, Any] | None = None
        self._quiet_until: dict[int, float] = {}
        size = plan.get("terminal") or {"rows": 24, "columns": 120}
        self._transcript = Transcript(folder, **size, title=plan["title"])
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._daemon.listener, selectors.EVENT_READ, self._connected)
        self._wake_on_signals()

    def run(self) -> None:
        try:
            program = self._program = Program(self._plan)
        except OSError as problem:
            self._record({"reason": "not-started", "error": why_not_started(problem, self._plan["directory"])})
            self._finish()
            return
        self._plan = {}  # the environment holds secrets and is not needed again
        with suppress(OSError):  # it only helps to end what a killed runner leaves behind
            self._write("state.json", {"runner": os.getpid(), "program": program.pid})
        while (left := program.tend()) is None:
            self._check_limits(program)
            self._wait(LOOK_SECONDS if program.is_ending else 1.0)
        self._drain(program)
        status = program.exit_status or 0
        self._record(
            {
                "reason": self._reason,
                "code": status if status >= 0 else None,
                "signal": signal.Signals(-status).name if status < 0 else None,
                "left_over": left,
            }
        )
        self._finish()

    def _wake_on_signals(self) -> None:
        reader, writer = os.pipe()
        os.set_blocking(reader, False)
        os.set_blocking(writer, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        # Handled, not ignored: programs inherit ignored signals from their parent, including Ctrl-C.
        for number in (signal.SIGCHLD, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, lambda *_: None)
        signal.signal(signal.SIGTERM, lambda *_: self._stop("runner-stopped", grace=self._limits["grace_seconds"]))
        self._selector.register(reader, selectors.EVENT_READ, lambda _: os.read(reader, 4096))

    def _wait(self, seconds: float) -> None:
        """Serve ready files for at most this long."""
        self._choose_readers()
        if self._daemon.peer is not None:
            wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if self._daemon.wants_to_write else 0)
            self._selector.modify(self._daemon.peer, wanted, self._talk)
        for key, events in self._selector.select(seconds):
            key.data(events)
        if self._program is not None:
            self._program.reap()

    def _choose_readers(self) -> None:
        """Read from the program only while there is room for more."""
        program = self._program
        if program is None:
            return
        for descriptor in program.streams:
            has_room = not self._output.is_full and self._quiet_until.get(descriptor, 0) <= time.monotonic()
            wanted = selectors.EVENT_READ if has_room else 0
            if descriptor == program.keyboard and self._untyped:
                wanted |= selectors.EVENT_WRITE
            present = self._selector.get_map().get(descriptor)
            if present is None and wanted:
                self._selector.register(descriptor, wanted, self._reader(program, descriptor))
            elif present is not None and not wanted:
                self._selector.unregister(descriptor)
            elif present is not None and present.events != wanted:
                self._selector.modify(descriptor, wanted, present.data)

    def _reader(self, program: Program, descriptor: int) -> Callable[[int], None]:
        def serve(events: int) -> None:
            if events & selectors.EVENT_WRITE:
                self._type_on(program)
            if events & selectors.EVENT_READ:
                self._read(program, descriptor)

        return serve

    def _read(self, program: Program, descriptor: int) -> bool:
        """Return whether the stream had data; close a stream that ended, a terminal only after its program ended."""
        stream = program.streams[descriptor]
        try:
            data = os.read(descriptor, CHUNK)
        except BlockingIOError:
            return False
        except OSError:  # a terminal that no process has open
            data = b""
        if not data:
            with suppress(KeyError):
                self._selector.unregister(descriptor)
            if descriptor == program.keyboard and program.exit_status is None:
                # No process has it open now; closing it would end the program, which may open it again.
                self._quiet_until[descriptor] = time.monotonic() + QUIET_SECONDS
            else:
                program.close(descriptor)
            return False
        self._transcript.output(data, stream=stream)
        self._daemon.send(self._output.add(data, stream=stream))
        self._flush()
        return True

    def _drain(self, program: Program) -> None:
        """Read the last output of ended processes; wait briefly while another process holds the stream open."""
        deadline = time.monotonic() + DRAIN_SECONDS
        while program.streams and time.monotonic() < deadline:
            for descriptor in list(program.streams):
                while self._read(program, descriptor):
                    pass
            if program.streams:
                time.sleep(0.01)

    def _check_limits(self, program: Program) -> None:
        if program.is_being_stopped:
            return
        seconds = self._limits.get("seconds")
        if seconds and time.monotonic() - self._started > seconds:
            self._stop("time-limit", grace=self._limits["grace_seconds"])
        elif self._output.total > self._limits["output_bytes"]:
            self._stop("output-limit", grace=self._limits["grace_seconds"])
        elif not os.path.isdir(self._folder):  # without it no daemon can find the program again
            self._stop("folder-gone", grace=self._limits["grace_seconds"])

    def _stop(self, reason: str, *, grace: float) -> None:
        if self._program is not None and not self._program.is_being_stopped:
            self._reason = self._reason or reason
            self._program.stop(grace=grace)

    def _connected(self, _: int) -> None:
        old = self._daemon.peer
        if old is not None:
            self._selector.unregister(old)
        peer = self._daemon.accept()
        if peer is None:
            return
        self._selector.register(peer, selectors.EVENT_READ, self._talk)
        self._daemon.send({"hello": {"runner": os.getpid(), "program": self._program and self._program.pid}})
        for frame in self._output.waiting():
            self._daemon.send(frame)
        if self._ending is not None:
            self._daemon.send({"exit": self._ending})
        self._flush()

    def _talk(self, events: int) -> None:
        if events & selectors.EVENT_WRITE:
            self._flush()
        if events & selectors.EVENT_READ and self._daemon.peer is not None:
            frames = self._daemon.receive()
            if frames is None:
                self._lose_peer()
                return
            for frame in frames:
                self._obey(frame)

    def _flush(self) -> None:
        if self._daemon.peer is not None and not self._daemon.flush():
            self._lose_peer()

    def _lose_peer(self) -> None:
        if self._daemon.peer is not None:
            with suppress(KeyError):
                self._selector.unregister(self._daemon.peer)
        self._daemon.hang_up()

    def _obey(self, frame: dict[str, Any]) -> None:
        if "taken" in frame:
            self._output.take(frame["taken"])
        elif "released" in frame:
            self._released = True
        elif "stop" in frame:
            self._stop(frame["stop"], grace=frame.get("grace", self._limits["grace_seconds"]))
        elif self._program is not None and self._is_new(frame.get("once")):
            self._operate(self._program, frame)

    def _is_new(self, key: str | None) -> bool:
        """Return whether this key is new: a daemon that died may have sent the same request already."""
        if key is not None and key in self._done:
            return False
        if key is not None:
            self._done.add(key)
        return True

    def _operate(self, program: Program, frame: dict[str, Any]) -> None:
        if "type" in frame:
            self._type(program, base64.b64decode(frame["type"]))
        elif "resize" in frame:
            rows, columns = frame["resize"]
            program.resize(rows, columns)
            if self._ending is None:
                self._transcript.resized(rows, columns)
        elif "interrupt" in frame:
            program.interrupt()

    def _type(self, program: Program, data: bytes) -> None:
        if program.keyboard is not None and len(self._untyped) + len(data) <= MAX_UNTYPED_BYTES:
            self._transcript.typed(data)
            self._untyped += data
            self._type_on(program)

    def _type_on(self, program: Program) -> None:
        while self._untyped and program.keyboard is not None:
            try:
                self._untyped = self._untyped[os.write(program.keyboard, self._untyped[:1024]) :]
            except BlockingIOError:
                return
            except OSError:
                break
        self._untyped = b""

    def _record(self, ending: dict[str, Any]) -> None:
        """Store the end, if possible, before reporting it."""
        whole = {"reason": None, "code": None, "signal": None, "error": None, "left_over": 0}
        facts = {"output_bytes": self._output.total, "missing": self._transcript.missing, "ended_at": time.time()}
        self._ending = {**whole, **ending, **facts}
        self._transcript.close()
        with suppress(OSError):
            self._write("exit.json", self._ending)
        self._daemon.send({"exit": self._ending})

    def _finish(self) -> None:
        """Wait until the daemon has taken everything; without one, leave the rest in files for the next daemon, and on
        a full disk wait for space."""
        deadline = time.monotonic() + FAREWELL_SECONDS
        self._flush()
        while not self._released and self._daemon.peer is not None and time.monotonic() < deadline:
            self._wait(LOOK_SECONDS)
        while not self._released and not self._has_saved_rest():
            self._wait(1.0)
        self._daemon.close()

    def _has_saved_rest(self) -> bool:
        try:
            if not self._output.is_taken:
                self._write("rest.json", self._output.waiting())
            if not os.path.exists(self._path("exit.json")):
                self._write("exit.json", self._ending)
        except OSError as problem:
            return problem.errno not in (errno.ENOSPC, errno.EDQUOT)  # no one will create the folder again
        return True

    def _write(self, name: str, content: Any) -> None:
        partial = self._path(f".{name}")
        with open(partial, "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            json.dump(content, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, self._path(name))

    def _path(self, name: str) -> str:
        return os.path.join(self._folder, name)


def main(folder: str) -> int:
    plan = take_plan(folder)
    if plan is None:
        return 1
    process_group.adopt_orphans()
    Runner(folder, plan).run()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
