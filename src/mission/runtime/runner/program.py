"""The launched program: started in its own session with pipes or a terminal, and ended with all its process_group."""

from __future__ import annotations

import fcntl
import os
import pty
import signal
import struct
import subprocess
import termios
import time
from contextlib import suppress
from typing import IO, Any

from mission.runtime.runner import process_group

LINGER_SECONDS = 2.0
"""Time that processes left behind by the program get to end."""


class Program:
    """One program and its process group.

    `variable` marks its processes with its id. `adopts_orphans` says that this process is the parent of every orphan
    of the program, so that without children there is nothing left to look for.
    """

    def __init__(
        self, plan: dict[str, Any], *, variable: str = process_group.EXECUTION_VARIABLE, adopts_orphans: bool = False
    ) -> None:
        self.execution_id: str = plan["execution_id"]
        self._variable = variable
        self._adopts_orphans = adopts_orphans
        self._has_children = True
        self.exit_status: int | None = None
        self.streams: dict[int, str] = {}
        self.keyboard: int | None = None
        self._pipes: dict[int, IO[bytes]] = {}
        self._kill_at: float | None = None
        self._left: int | None = None
        terminal = plan.get("terminal")
        self._process = self._on_terminal(plan, terminal) if terminal else self._on_pipes(plan)
        self.pid = self._process.pid
        for descriptor in self.streams:
            os.set_blocking(descriptor, False)

    def _on_pipes(self, plan: dict[str, Any]) -> subprocess.Popen[bytes]:
        errors = subprocess.STDOUT if plan.get("merged") else subprocess.PIPE
        process = self._start(plan, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors)
        for pipe, stream in ((process.stdout, "out"), (process.stderr, "err")):
            if pipe is not None:
                self.streams[pipe.fileno()] = stream
                self._pipes[pipe.fileno()] = pipe
        return process

    def _on_terminal(self, plan: dict[str, Any], size: dict[str, int]) -> subprocess.Popen[bytes]:
        master, slave = pty.openpty()
        try:
            _set_size(master, size["rows"], size["columns"])
            process = self._start(plan, stdin=slave, stdout=slave, stderr=slave)
        except BaseException:
            os.close(master)
            raise
        finally:
            os.close(slave)
        self.streams = {master: "out"}
        self.keyboard = master
        return process

    def _start(self, plan: dict[str, Any], *, stdin: int, stdout: int, stderr: int) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            plan["argv"],
            cwd=plan["directory"],
            env={**plan["environment"], self._variable: self.execution_id},
            start_new_session=True,
            preexec_fn=_lead_terminal if plan.get("terminal") else process_group.die_with_parent,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
        )

    def resize(self, rows: int, columns: int) -> None:
        if self.keyboard is not None:
            with suppress(OSError):
                _set_size(self.keyboard, rows, columns)

    def interrupt(self) -> None:
        """Send SIGINT, as Ctrl-C does."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGINT)

    def stop(self, *, grace: float) -> None:
        """Ask all processes to end; `tend` kills those that do not."""
        if self._kill_at is None:
            self._kill_at = time.monotonic() + grace
            self._send(signal.SIGTERM)

    def reap(self) -> None:
        """Collect ended processes: the program and adopted orphans."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                self._has_children = False
                return
            if not pid:
                return
            if pid == self.pid:
                self.exit_status = self._process.returncode = os.waitstatus_to_exitcode(status)

    def tend(self) -> int | None:
        """Advance the shutdown; return None while processes are alive, then how many the program left behind."""
        if self._kill_at is not None and time.monotonic() >= self._kill_at:
            self._send(signal.SIGKILL)
        if self.exit_status is None:
            return None
        left = self.members()
        if self._left is None:
            # All were asked to end at the same time: none of them counts as left behind.
            self._left = len(left) if self._kill_at is None else 0
            if self._left:
                self.stop(grace=LINGER_SECONDS)
        return None if left else self._left

    def members(self) -> set[int]:
        """Return the live processes of the program."""
        if self._adopts_orphans and not self._has_children:
            return set()
        return process_group.members(self.execution_id, group=self.pid, below=os.getpid(), variable=self._variable)

    def _send(self, sign: signal.Signals) -> None:
        process_group.send(self.execution_id, sign, group=self.pid, below=os.getpid(), variable=self._variable)

    def close(self, descriptor: int) -> None:
        """Close a stream that ended."""
        del self.streams[descriptor]
        if descriptor == self.keyboard:
            self.keyboard = None
        pipe = self._pipes.pop(descriptor, None)
        if pipe is None:
            os.close(descriptor)
        else:
            pipe.close()  # not by its number: the pipe would close that number again, even if it was reused

    @property
    def is_ending(self) -> bool:
        return self.exit_status is not None or self._kill_at is not None

    @property
    def is_being_stopped(self) -> bool:
        return self._kill_at is not None


def why_not_started(problem: OSError, directory: str) -> str:
    """Return why a program could not be started; the system's message does not tell a missing folder from a program."""
    if problem.filename == directory:
        return f"its working directory cannot be used: {problem.strerror}"
    return problem.strerror or str(problem)


def _lead_terminal() -> None:
    """Prepare the child: make it die with the runner and own the terminal, so that Ctrl-C reaches it."""
    process_group.die_with_parent()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def _set_size(descriptor: int, rows: int, columns: int) -> None:
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
