"""The daemon's side of a launched program: starts its runner, reattaches, reads its output and sends commands."""

from __future__ import annotations

import asyncio
import base64
import fcntl
import json
import os
import shutil
import sys
import tempfile
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from mission.domain.errors import InvalidState
from mission.runtime.running.leftovers import end_leftovers
from mission.store.backends.file_locks import FileLock

MAX_SOCKET_PATH_LENGTH = 100
MAX_FRAME_BYTES = 1024 * 1024
AGAIN_SECONDS = 0.02
TRANSCRIPT_PREFIX = "transcript."


@dataclass(frozen=True, kw_only=True, slots=True)
class ProgramLimits:
    """Limits after which a program is stopped."""

    seconds: float | None = None
    output_bytes: int = 1024 * 1024 * 1024
    grace_seconds: float = 10.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Terminal:
    rows: int = 40
    columns: int = 120


@dataclass(frozen=True, kw_only=True, slots=True)
class Start:
    """A program to run. Its environment is complete and is passed only to its runner."""

    execution_id: str
    argv: Sequence[str]
    directory: Path
    environment: Mapping[str, str] = field(repr=False)
    terminal: Terminal | None = None
    limits: ProgramLimits = ProgramLimits()
    title: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Chunk:
    """A piece of output with its position in its stream and the end position in both streams together."""

    stream: str
    offset: int
    at_line_start: bool
    end: int
    data: bytes


@dataclass(frozen=True, kw_only=True, slots=True)
class Exit:
    """The end of a program. `reason` is set if it did not end by itself: stopped, a limit, not-started or lost."""

    code: int | None = None
    signal: str | None = None
    reason: str | None = None
    error: str | None = None
    left_over: int = 0
    output_bytes: int = 0
    missing: int = 0
    """Number of pieces of output that are not in the transcript."""
    ended_at: float | None = None


LOST = Exit(reason="lost")


class Process:
    """One execution's program, controlled through the files in its folder."""

    def __init__(self, execution_id: str, folder: Path) -> None:
        self.execution_id = execution_id
        self.folder = folder
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._left: deque[Chunk | Exit] = deque()
        self._begun = asyncio.Event()
        self._failure: str | None = None
        self.program: int | None = None
        self._runner: asyncio.subprocess.Process | None = None
        self._stop: dict[str, Any] | None = None
        self._owner = FileLock(folder / "follower.lock")

    def own(self) -> bool:
        """Return whether this daemon is now the only one that follows the program, until it disowns it or dies."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            return self._owner.acquire(wait=False)
        except OSError:
            return False

    def disown(self) -> None:
        """Let another daemon follow the program."""
        self._owner.close()

    async def start(self, start: Start) -> None:
        """Write the plan and start a runner for it."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        socket = self.folder / "control"
        if len(os.fsencode(socket)) > MAX_SOCKET_PATH_LENGTH:  # the kernel's limit
            socket = Path(tempfile.mkdtemp(prefix="mission-")) / "control"
        (self.folder / "socket").write_text(str(socket))
        _write_private(self.folder / "plan.json", json.dumps(_plan(start, socket)))
        with _log(self.folder / "runner.log") as log:
            self._runner = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "mission.runtime.runner",
                str(self.folder),
                cwd=self.folder,
                env=bare_environment(),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def give_up(self) -> bool:
        """Remove the plan of a runner that has not started; return False if it has."""
        try:
            (self.folder / "plan.json").unlink()
        except FileNotFoundError:
            return not (self.folder / "runner.lock").exists()  # no plan was written yet
        return True

    async def begun(self) -> None:
        """Return once the program has started, while another task reads; raise an error if it cannot start."""
        await self._begun.wait()
        if self._failure is not None:
            raise InvalidState(f"could not start the program: {self._failure}", hint="Check that it is executable.")

    def _noticed(self, ending: Exit) -> Exit:
        if ending.reason in ("not-started", "lost") and not self._begun.is_set():
            self._failure = ending.error or "its runner ended"
        self._begun.set()
        return ending

    async def read(self) -> Chunk | Exit:
        """Return the next output, beginning with the first piece that was not taken; the last event is the exit."""
        while not self._left:
            if self._reader is None and not await self._connect():
                self._left.extend(self._left_behind())
            elif (event := await self._receive()) is not None:
                return event
        return self._left.popleft()

    async def _connect(self) -> bool:
        """Connect to the runner, waiting for one that is starting or ending, and return whether that succeeded."""
        while True:
            with suppress(OSError):
                path = (self.folder / "socket").read_text()
                self._reader, self._writer = await asyncio.open_unix_connection(path, limit=MAX_FRAME_BYTES)
                if self._stop is not None:
                    self._send(self._stop)
                return True
            if not self._is_running():
                return False
            await asyncio.sleep(AGAIN_SECONDS)

    async def _receive(self) -> Chunk | Exit | None:
        assert self._reader is not None
        try:
            while line := await self._reader.readline():
                frame = json.loads(line)
                if "output" in frame:
                    return _chunk(frame["output"])
                if "exit" in frame:
                    return self._noticed(Exit(**_known(frame["exit"])))
                if "hello" in frame and frame["hello"]["program"] is not None:
                    self.program = frame["hello"]["program"]
                    self._begun.set()
        except (OSError, ValueError):
            pass  # the runner is gone; the files it left say more
        self.leave()
        return None

    def leave(self) -> None:
        """Disconnect; the runner keeps what was not taken for the next daemon."""
        if self._writer is not None:
            self._writer.close()
        self._reader = self._writer = None

    def _is_running(self) -> bool:
        if self._runner is not None:
            return self._runner.returncode is None
        try:
            lock = os.open(self.folder / "runner.lock", os.O_RDWR)
        except OSError:
            return False
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(lock)
        return False

    def _left_behind(self) -> list[Chunk | Exit]:
        try:
            ending = Exit(**_known(json.loads((self.folder / "exit.json").read_bytes())))
        except (OSError, ValueError, TypeError):
            return [self._noticed(LOST)]
        self._noticed(ending)
        with suppress(OSError, ValueError):
            return [*(_chunk(each["output"]) for each in json.loads((self.folder / "rest.json").read_bytes())), ending]
        return [ending]

    def take(self, end: int) -> None:
        """Confirm that everything up to here is processed and need not be sent again."""
        self._send({"taken": end})

    def type(self, data: bytes, *, once: str | None = None) -> None:
        """Type into the program's terminal, once for each key `once`."""
        self._send({"type": base64.b64encode(data).decode(), "once": once})

    def resize(self, terminal: Terminal) -> None:
        self._send({"resize": [terminal.rows, terminal.columns]})

    def interrupt(self, *, once: str | None = None) -> None:
        """Interrupt the program with a signal, once for each key `once`."""
        self._send({"interrupt": True, "once": once})

    @property
    def is_reached(self) -> bool:
        """Return whether the runner is connected."""
        return self._writer is not None

    @property
    def is_being_stopped(self) -> bool:
        return self._stop is not None

    def stop(self, reason: str, *, grace: float | None = None) -> None:
        """Ask the program to end; processes left after `grace` are killed. A runner that is not connected gets the
        request as soon as it is."""
        self._stop = {"stop": reason} if grace is None else {"stop": reason, "grace": grace}
        self._send(self._stop)

    def _send(self, frame: dict[str, Any]) -> None:
        if self._writer is not None:
            self._writer.write(json.dumps(frame).encode() + b"\n")

    async def release(self) -> int:
        """Kill leftover processes, delete all files but the transcript, and return how many processes were left."""
        if self._writer is None:
            await self._connect()  # a runner may be waiting for this
        self._send({"released": True})
        left = await asyncio.to_thread(end_leftovers, self.execution_id, self.folder)
        while self._is_running():  # noqa: ASYNC110 - a runner of an earlier daemon does not report its end
            await asyncio.sleep(AGAIN_SECONDS)
        self.leave()
        with suppress(OSError):
            socket = Path((self.folder / "socket").read_text())
            if socket.parent != self.folder:
                shutil.rmtree(socket.parent, ignore_errors=True)
        for path in list(self.folder.iterdir()) if self.folder.is_dir() else []:
            if not is_transcript(path):
                shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
        return left


def is_transcript(path: Path) -> bool:
    """Return whether a file is kept after the execution ends."""
    return path.name.startswith(TRANSCRIPT_PREFIX)


def _plan(start: Start, socket: Path) -> dict[str, Any]:
    terminal = start.terminal
    return {
        "execution_id": start.execution_id,
        "argv": list(start.argv),
        "directory": str(start.directory),
        "environment": dict(start.environment),
        "terminal": {"rows": terminal.rows, "columns": terminal.columns} if terminal else None,
        "limits": {
            "seconds": start.limits.seconds,
            "output_bytes": start.limits.output_bytes,
            "grace_seconds": start.limits.grace_seconds,
        },
        "socket": str(socket),
        "title": start.title,
    }


def _chunk(frame: dict[str, Any]) -> Chunk:
    return Chunk(
        stream=frame["stream"],
        offset=frame["offset"],
        at_line_start=frame["line_start"],
        end=frame["end"],
        data=base64.b64decode(frame["data"]),
    )


def _known(ending: dict[str, Any]) -> dict[str, Any]:
    return {name: ending[name] for name in Exit.__dataclass_fields__ if name in ending}


def bare_environment() -> dict[str, str]:
    """Return only the variables that Python itself needs."""
    return {name: value for name, value in os.environ.items() if name in {"PATH", "HOME", "LANG", "PYTHONPATH"}}


def _log(path: Path) -> BinaryIO:
    return open(path, "ab", opener=_private)


def _write_private(path: Path, text: str) -> None:
    with open(path, "w", opener=_private) as file:
        file.write(text)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
