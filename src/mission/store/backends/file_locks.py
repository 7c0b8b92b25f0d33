"""Locks between processes: advisory file locks that the kernel drops when their holder dies."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
from pathlib import Path


class FileLock:
    """One lock file, held shared or exclusively by this object."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None

    def acquire(self, *, exclusive: bool = True, wait: bool = True) -> bool:
        """Return whether the lock is now ours; without `wait`, do not wait for another holder."""
        if self._descriptor is None:
            self._descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        kind = fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH
        try:
            fcntl.flock(self._descriptor, kind if wait else kind | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def release(self) -> None:
        if self._descriptor is not None:
            fcntl.flock(self._descriptor, fcntl.LOCK_UN)

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


class FileLockUsers:
    """A shared lock on a file, with a note next to it that names the holder."""

    def __init__(self, path: Path, *, role: str) -> None:
        self._lock = FileLock(path)
        self._notes = path.with_name(f"{path.name}.holders")
        self._note = self._notes / f"{os.getpid()}-{id(self)}"
        self._role = role

    @property
    def was_entered(self) -> bool:
        """Return whether the lock ever had a holder."""
        return self._notes.is_dir()

    def enter(self) -> None:
        """Join the holders; wait while another process holds it exclusively."""
        self._lock.acquire(exclusive=False)
        try:
            self._notes.mkdir(mode=0o700, exist_ok=True)
            self._note.write_text(self._role)
        except OSError as error:
            if error.errno not in {errno.ENOSPC, errno.EDQUOT}:
                raise
            # the disk is full: we still hold the lock, only without a name

    def wait(self) -> None:
        """Return once no other process holds it exclusively, without leaving a note."""
        self._lock.acquire(exclusive=False)
        self._lock.release()

    def enter_alone(self) -> list[str] | None:
        """Return None when the lock is now exclusively ours, else its holders."""
        if self._lock.acquire(wait=False):
            return None
        return self.holders() or ["another process"]

    def leave(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            self._note.unlink()
        self._lock.close()

    def holders(self) -> list[str]:
        """Return the current holders, such as 'the daemon (process 4711)'."""
        if not self._notes.is_dir():
            return []
        found = []
        for note in sorted(self._notes.iterdir()):
            pid = note.name.partition("-")[0]
            if pid.isdigit() and _alive(int(pid)):
                found.append(f"{note.read_text()} (process {pid})")
            else:
                note.unlink(missing_ok=True)  # its holder died without leaving
        return found


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
