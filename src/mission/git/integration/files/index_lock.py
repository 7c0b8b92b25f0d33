"""Write the index of a worktree without a moment in which another git, or a crash, finds it half written.

While we work, the worktree's `index.lock` is ours: git refuses to write, as it does while another git runs. Commands
use a copy of the index, which replaces the real one in a single step. The lock contains our mark, and we and every git
that we start hold a lock of the system on it. So the lock of a process that was killed is recognized and taken over.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from mission.git.command import OURS, run
from mission.git.errors import SpecialFile
from mission.git.file_names import display_name
from mission.git.integration.errors import IndexInUse
from mission.git.safe_reading import FLAGS, copy

MARK = b"Mission Control updates this worktree. It removes this file when it is done, or when it is started again.\n"
LOCK = "index.lock"
COPY = "mission-index"
MARKED = "mission-lock-"
MAX_INDEX_BYTES = 1 << 30
PATIENCE = 10.0
PAUSE = 0.02
ABANDONED_SECONDS = 60.0
"""In a worktree of ours, a lock of this age was left by a git that was killed: an agent's, ended by us."""


class LockedIndex:
    """The index of one worktree, as a copy at `path` until it is installed."""

    def __init__(self, git_dir: Path, *, worktree: Path, descriptor: int) -> None:
        self._git_dir = git_dir
        self._worktree = worktree
        self.descriptor = descriptor
        self.path = git_dir / COPY

    def take_copy(self) -> None:
        """Copy the index with its time, which shows git which entries not to trust."""
        self.path.with_name(f"{COPY}.lock").unlink(missing_ok=True)
        try:
            copy(self._git_dir, "index", self.path, limit=MAX_INDEX_BYTES)
        except FileNotFoundError:
            self.path.unlink(missing_ok=True)
        except OSError as error:
            raise SpecialFile(".git/index") from error
        if any(self._git_dir.glob("sharedindex.*")):
            # A split index refers to a file in the git directory of the command, which may be another one.
            run("update-index", "--no-split-index", cwd=self._worktree, variables=self.variables, umask=OURS)

    @property
    def variables(self) -> dict[str, str]:
        """Return the variables of a command that uses the copy."""
        return {"GIT_INDEX_FILE": str(self.path)}

    def install(self) -> None:
        """Replace the worktree's index with the copy."""
        real = self._git_dir / "index"
        with suppress(FileNotFoundError):
            self.path.chmod(stat.S_IMODE(real.stat().st_mode))
        self.path.replace(real)


@contextmanager
def locked_index(git_dir: Path, *, worktree: Path, ours: bool) -> Iterator[LockedIndex]:
    """Lock the index of the worktree and yield a copy; `ours` says that only our agents work there.

    Raise IndexInUse if another git keeps it locked.
    """
    descriptor = _acquired(git_dir, worktree=worktree, ours=ours)
    index = LockedIndex(git_dir, worktree=worktree, descriptor=descriptor)
    try:
        index.take_copy()
        yield index
    finally:
        index.path.unlink(missing_ok=True)
        (git_dir / LOCK).unlink(missing_ok=True)
        os.close(descriptor)


def is_left_behind(git_dir: Path) -> bool:
    """Return whether the index has a lock of ours; its holder may still work."""
    with _opened(git_dir / LOCK) as descriptor:
        return descriptor is not None and _is_marked(descriptor)


def _acquired(git_dir: Path, *, worktree: Path, ours: bool) -> int:
    deadline = time.monotonic() + PATIENCE
    while True:
        descriptor = _created(git_dir) or _taken_over(git_dir / LOCK)
        if descriptor is not None:
            _remove_leftovers(git_dir)
            return descriptor
        if ours:
            _remove_abandoned(git_dir / LOCK)
        if time.monotonic() > deadline:
            raise IndexInUse(display_name(os.fsencode(worktree)))
        time.sleep(PAUSE)


def _created(git_dir: Path) -> int | None:
    """Return the descriptor of a new lock; it gets its name only when it is marked and locked."""
    marked = git_dir / f"{MARKED}{secrets.token_hex(6)}"
    descriptor = os.open(marked, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
    try:
        os.write(descriptor, MARK)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        os.link(marked, git_dir / LOCK)
    except (FileExistsError, FileNotFoundError):
        os.close(descriptor)
        return None
    except BaseException:
        os.close(descriptor)
        raise
    finally:
        marked.unlink(missing_ok=True)
    return descriptor


def _taken_over(lock: Path) -> int | None:
    """Return the descriptor of a lock that one of our processes left."""
    with _opened(lock) as descriptor:
        if descriptor is not None and _is_marked(descriptor):
            with suppress(OSError):  # its holder still works, or has just removed it
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.path.samestat(os.fstat(descriptor), lock.stat()):
                    # A duplicate shares the lock of the system.
                    return os.dup(descriptor)
    return None


def _remove_abandoned(lock: Path) -> None:
    with _opened(lock) as descriptor:
        if descriptor is not None and not _is_marked(descriptor):
            age = time.time() - os.fstat(descriptor).st_mtime
            if age > ABANDONED_SECONDS:
                lock.unlink(missing_ok=True)


@contextmanager
def _opened(lock: Path) -> Iterator[int | None]:
    try:
        descriptor = os.open(lock, FLAGS | os.O_RDWR)
    except OSError:
        yield None
        return
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _is_marked(descriptor: int) -> bool:
    with suppress(OSError):
        return os.pread(descriptor, len(MARK), 0) == MARK
    return False


def _remove_leftovers(git_dir: Path) -> None:
    """Remove files of processes that were killed before they had the lock; others lose one and create another."""
    for path in git_dir.glob(f"{MARKED}*"):
        path.unlink(missing_ok=True)
