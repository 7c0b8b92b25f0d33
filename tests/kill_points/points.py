"""Count the points at which a process can be killed: each write, git command, started program and changed file.

It is installed in a process before its work begins. It appends each point to a file as it is reached, and at a chosen
one it kills the process, or the git command that was just started. The code that is tested knows nothing of this.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

SOURCE = str(Path(__file__).resolve().parents[2] / "src") + os.sep
HELPERS = (
    "mission.git.command",
    "mission.git.safe_reading",
    "mission.git.snapshots.shadow_repository.Shadow.run",
    "mission.git.worktrees.private_repository.PrivateRepository.run",
    "mission.git.integration.own_git_directory",
    "mission.private_files",
    "mission.store.database",
    "mission.store.worker",
    "mission.store.writer",
    "mission.store.backends",
)
"""Modules that carry out what another one asks for."""
FILE_EVENTS = frozenset({"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate"})
KILLED = "killed here"
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


class Points:
    """The points of this process, and the one at which it ends."""

    def __init__(self, record: str, *, kill: dict[str, Any] | None) -> None:
        """`kill` has the keys point, moment (before, after, or child for the started program), number and marks.

        `marks` is the beginning of the names of files that count how often processes reached the point.
        """
        self._record = os.open(record, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        self._kill = kill
        self._lock = threading.RLock()
        self._local = threading.local()

    def reach(self, kind: str, name: str, moment: str, child: int | None = None) -> None:
        """Count a point, and kill what is to be killed there."""
        with self._lock:
            self._local.busy = True
            try:
                self._reach(f"{kind} {name}", moment, child)
            finally:
                self._local.busy = False

    def _reach(self, point: str, moment: str, child: int | None) -> None:
        os.write(self._record, f"{point} {moment}\n".encode())
        if not self._kill or self._kill["point"] != point:
            return
        is_child = self._kill["moment"] == "child"
        if moment != ("after" if is_child else self._kill["moment"]) or not self._is_due():
            return
        os.write(self._record, f"{KILLED}\n".encode())
        if not is_child:
            os.kill(os.getpid(), signal.SIGKILL)
        elif child is not None:
            os.killpg(child, signal.SIGKILL)

    def _is_due(self) -> bool:
        """Count that some process is at the point; return whether it is the one that is to be killed there."""
        assert self._kill is not None
        number = 1
        while True:
            try:
                os.close(os.open(f"{self._kill['marks']}{number}", os.O_CREAT | os.O_EXCL | os.O_WRONLY))
                return number == int(self._kill["number"])
            except FileExistsError:
                number += 1

    def watch_programs(self) -> None:
        """Count each started program; git is a kind of its own."""
        start = subprocess.Popen.__init__

        def started(process: Any, args: Any, *rest: Any, **options: Any) -> None:
            words = [args] if isinstance(args, (str, bytes)) else [os.fspath(each) for each in args]
            kind = "git" if os.fsdecode(words[0]) == "git" else "spawn"
            name = _asker(sys._getframe(1))
            if name is None:
                return start(process, args, *rest, **options)
            self.reach(kind, name, "before")
            start(process, args, *rest, **options)
            self.reach(kind, name, "after", process.pid)
            return None

        subprocess.Popen.__init__ = started  # type: ignore[method-assign]
        self._watch_awaited_programs()

    def _watch_awaited_programs(self) -> None:
        """Count programs that the event loop starts: it does not use `subprocess`."""
        start = asyncio.create_subprocess_exec

        async def started(*words: Any, **options: Any) -> asyncio.subprocess.Process:
            name = _asker(sys._getframe(1)) or "unknown"
            self.reach("spawn", name, "before")
            process = await start(*words, **options)
            self.reach("spawn", name, "after", process.pid)
            return process

        asyncio.create_subprocess_exec = started  # type: ignore[assignment]

    def watch_files(self) -> None:
        """Count each change of a file or folder that our own code makes, before it happens."""

        def changed(event: str, arguments: tuple[Any, ...]) -> None:
            if event == "open":
                flags = arguments[2]
                if not isinstance(flags, int) or not flags & WRITES or isinstance(arguments[0], int):
                    return
                if os.fsdecode(arguments[0]).startswith(("/proc/", "/dev/")):
                    return
            elif event not in FILE_EVENTS:
                return
            if getattr(self._local, "busy", False):
                return
            name = _asker(sys._getframe(1))
            if name is not None and not name.startswith(("mission.serve", "mission.home")):
                self.reach("file", name, "before")

        sys.addaudithook(changed)

    def watch_writes(self) -> None:
        """Count each transaction: before its commit, and when it is durable but nobody has been told."""
        from mission.store.backends import postgres, sqlite
        from mission.store.writer import Writer

        local, reach = self._local, self.reach
        commit_group = Writer._commit

        def committing(writer: Any, group: Any) -> Any:
            local.group = group
            return commit_group(writer, group)

        Writer._commit = committing  # type: ignore[method-assign]
        for backend in (sqlite.SqliteBackend, postgres.PostgresBackend):
            _watch_commit(backend, local, reach)


def _watch_commit(backend: Any, local: Any, reach: Any) -> None:
    commit = backend.commit

    def committed(self: Any, connection: Any) -> None:
        names = [_transaction(job.function) for job in getattr(local, "group", ()) if job.error is None]
        for name in names:
            reach("write", name, "before")
        commit(self, connection)
        for name in names:
            reach("write", name, "after")

    backend.commit = committed


def _transaction(function: Any) -> str:
    """Return the name of a transaction function; the last write of a call has it inside."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    if "function" in cells:
        function = cells["function"].cell_contents
    return f"{function.__module__}.{function.__qualname__}"


def _asker(frame: FrameType | None) -> str | None:
    """Return the function of ours that asked for it; None if none did."""
    while frame is not None:
        name = name_of(frame.f_code)
        if name is not None and not name.startswith(HELPERS):
            return name
        frame = frame.f_back
    return None


def name_of(code: CodeType) -> str | None:
    """Return module and name of a function of ours, without what it defines inside."""
    if not code.co_filename.startswith(SOURCE):
        return None
    module = code.co_filename.removeprefix(SOURCE).removesuffix(".py").replace(os.sep, ".")
    return f"{module}.{code.co_qualname.partition('.<locals>')[0]}"


def install(given: dict[str, Any], *, writes: bool) -> None:
    """Watch this process as it was told to."""
    points = Points(given["record"], kill=given.get("kill"))
    points.watch_programs()
    if writes:
        points.watch_writes()
    points.watch_files()
